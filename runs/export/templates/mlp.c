// What evaluates multilayer perceptrons in exported bots, from the sums of the first layer on.
//
// The network that stands here only makes this file one that compilers can check. It must stay free
// of everything but C99 and its standard library.

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// --- The network --------------------------------------------------------------------------
#define IS_POLICY 1
#define ACTIVATION SIGMOID
#define LAYERS 1
#define WIDEST 2
static const int UNITS[] = {2};
static const float LATER_LAYERS[] = {0};
static const float SCALE = -1.44269502f;
static const float POLYNOMIAL[] = {1.0f};
// --- How the network computes -------------------------------------------------------------

// The arena counts in numbers of 32 bits and rounds after every single operation. This does the
// same, in the same order, and so chooses the same moves: no compiler may join a product and a sum.

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "compile without -ffast-math, for a machine that counts in numbers of 32 bits"
#endif

enum { SIGMOID, TANH, RELU };
#define TERMS ((int)(sizeof POLYNOMIAL / sizeof POLYNOMIAL[0]))

// The activation function.
static float activate(float value) {
    if (ACTIVATION == RELU)
        return value > 0.0f ? value : 0.0f;
    // 1 / (1 + 2**power): two to a whole number is exact, the rest comes from a polynomial.
    float power = value * SCALE;
    power = power > -126.0f ? power : -126.0f;
    power = power < 126.0f ? power : 126.0f;
    float whole = (power + 12582912.0f) - 12582912.0f, rest = power - whole;
    float raised = POLYNOMIAL[0], two;
    for (int term = 1; term < TERMS; term++)
        raised = raised * rest + POLYNOMIAL[term];
    uint32_t bits = (uint32_t)((int)whole + 127) << 23;
    memcpy(&two, &bits, sizeof two);
    float logistic = 1.0f / (1.0f + raised * two);
    return ACTIVATION == TANH ? 2.0f * logistic - 1.0f : logistic;
}

// A layer of one unit: sixteen subtotals, then the upper half added to the lower.
static float fold(const float *values, int count, float bias, const float *weights) {
    float totals[16] = {0};
    for (int place = 0; place < count; place++)
        totals[place % 16] += values[place] * weights[place];
    for (int half = 8; half > 0; half /= 2)
        for (int place = 0; place < half; place++)
            totals[place] += totals[place + half];
    return totals[0] + bias;
}

// The network's outputs, given what its first layer's units have before activation.
static void evaluate_later(float *values, float *outputs) {
    float inputs[WIDEST];
    const float *weights = LATER_LAYERS;
    for (int layer = 1; layer < LAYERS; layer++) {
        int before = UNITS[layer - 1], units = UNITS[layer];
        for (int unit = 0; unit < before; unit++)
            inputs[unit] = activate(values[unit]);
        if (!IS_POLICY && layer == LAYERS - 1) {
            outputs[0] = fold(inputs, before, weights[0], weights + 1);
            return;
        }
        memcpy(values, weights, (size_t)units * sizeof *values);
        weights += units;
        for (int unit = 0; unit < before; unit++, weights += units)
            for (int to = 0; to < units; to++)
                values[to] += inputs[unit] * weights[to];
    }
    memcpy(outputs, values, (size_t)UNITS[LAYERS - 1] * sizeof *outputs);
}

#ifndef IS_DENSE
// The same, given the sums of its first layer, of bits.
static void evaluate(const int32_t *sums, float *outputs) {
    float values[WIDEST];
    for (int unit = 0; unit < UNITS[0]; unit++)
        values[unit] = (float)sums[unit] / 65536.0f;
    evaluate_later(values, outputs);
}
#endif
