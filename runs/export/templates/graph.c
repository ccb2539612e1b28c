// What evaluates NEAT graphs in exported bots: nodes, in the order in which they are computed.
//
// The network that stands here only makes this file one that compilers can check. It must stay free
// of everything but C99 and its standard library.

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Functions of nodes -------------------------------------------------------------------

// Numbers have 64 bits, as in the arena, and are added in the same order: no compiler may join a
// product and a sum.

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD > 1
#error "compile without -ffast-math, for a machine that counts in numbers of 64 bits"
#endif

enum activation {
    SIGMOID, TANH, SIN, GAUSS, RELU, ELU, LELU, SELU, SOFTPLUS, IDENTITY, CLAMPED, INV, LOG, EXP,
    ABS, HAT, SQUARE, CUBE
};
enum aggregation { PRODUCT, SUM, MAX, MIN, MAXABS, MEDIAN, MEAN };

struct connection {
    int from;  // a slot
    double weight;
};

struct node {
    int slot;
    enum activation activation;
    enum aggregation aggregation;
    double bias, response;
    int count;  // of connections
};

static double larger(double first, double second) {
    return second > first ? second : first;
}

static double smaller(double first, double second) {
    return second < first ? second : first;
}

// x, moved to the nearer end if it lies outside -bound .. bound.
static double within(double x, double bound) {
    return larger(-bound, smaller(bound, x));
}

// A power of x by the C library; a product differs from it in the last bit now and then.
static double power(double x, double exponent) {
    volatile double concealed = exponent;
    return pow(x, concealed);
}

static double apply(enum activation activation, double x) {
    switch (activation) {
    case SIGMOID: return 1.0 / (1.0 + exp(-within(5.0 * x, 60.0)));
    case TANH: return tanh(within(2.5 * x, 60.0));
    case SIN: return sin(within(5.0 * x, 60.0));
    case GAUSS: return exp(-5.0 * power(within(x, 3.4), 2.0));
    case RELU: return x > 0.0 ? x : 0.0;
    case ELU: return x > 0.0 ? x : exp(x) - 1.0;
    case LELU: return x > 0.0 ? x : 0.005 * x;
    case SELU:
        if (x > 0.0)
            return 1.0507009873554805 * x;
        return 1.0507009873554805 * 1.6732632423543772 * (exp(x) - 1.0);
    case SOFTPLUS: return 0.2 * log(1.0 + exp(within(5.0 * x, 60.0)));
    case IDENTITY: return x;
    case CLAMPED: return within(x, 1.0);
    case INV: return x == 0.0 ? 0.0 : 1.0 / x;
    case LOG: return log(larger(1e-7, x));
    case EXP: return exp(within(x, 60.0));
    case ABS: return fabs(x);
    case HAT: return larger(0.0, 1.0 - fabs(x));
    case SQUARE: return power(x, 2.0);
    case CUBE: return power(x, 3.0);
    }
    return x;
}

static int compare_terms(const void *first, const void *second) {
    double left = *(const double *)first, right = *(const double *)second;
    return (left > right) - (left < right);
}

// Of no terms the product is 1 and everything else 0. The terms may be left in another order.
static double aggregate(enum aggregation aggregation, double *terms, int count) {
    double total = 0.0, product = 1.0, best = count ? terms[0] : 0.0;
    int nan = 0;
    for (int place = 0; place < count; place++) {
        double term = terms[place];
        total += term;
        product *= term;
        nan |= isnan(term);
        if (aggregation == MAX)
            best = larger(best, term);
        else if (aggregation == MIN)
            best = smaller(best, term);
        else if (fabs(term) > fabs(best))
            best = term;
    }
    if (aggregation == PRODUCT)
        return product;
    if (aggregation == SUM)
        return total;
    if (aggregation < MEDIAN || count == 0)
        return best;
    if (aggregation == MEAN || count <= 2 || nan)
        return total / count;
    qsort(terms, (size_t)count, sizeof *terms, compare_terms);
    return count % 2 ? terms[count / 2] : (terms[count / 2 - 1] + terms[count / 2]) / 2.0;
}

// --- The network --------------------------------------------------------------------------
#define INPUTS 2
#define SLOTS 4
#define NODE_COUNT 2
#define MOST_TERMS 1
static const struct node NODES[] = {
    {2, TANH, SUM, 0.0, 1.0, 1},
    {3, TANH, SUM, 0.0, 1.0, 1},
};
static const struct connection CONNECTIONS[] = {{0, 1.0}, {1, 1.0}};
// --- How the network computes -------------------------------------------------------------

// Lets all nodes take their values in a plane: the inputs, then the values of all nodes.
static void activate(double *plane) {
    double terms[MOST_TERMS];
    const struct connection *connection = CONNECTIONS;
    for (const struct node *node = NODES; node < NODES + NODE_COUNT; node++) {
        for (int place = 0; place < node->count; place++, connection++)
            terms[place] = plane[connection->from] * connection->weight;
        double total = aggregate(node->aggregation, terms, node->count);
        plane[node->slot] = apply(node->activation, node->bias + node->response * total);
    }
}
