// The texts of a page that stand out too little from their ground: see WCAG 2.2, contrast (minimum).
() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((part, place) => a * part + (1 - a) * below[place]);
  const light = (colour) => colour.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName)) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const line = [];
    for (let each = element; each; each = each.parentElement) line.unshift(each);
    let ground = [255, 255, 255];
    let opacity = 1;
    for (const each of line) {
      const style = getComputedStyle(each);
      ground = over(read(style.backgroundColor), ground);
      opacity *= style.opacity;
    }
    const style = getComputedStyle(element);
    const [red, green, blue, alpha] = read(style.color);
    const text = over([red, green, blue, alpha * opacity], ground);
    const [high, low] = [light(text), light(ground)].sort((one, other) => other - one);
    const ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio >= (isLarge ? 3 : 4.5)) continue;
    const key = `${element.tagName}.${element.className} ${style.color} on ${ground.map(Math.round)}`;
    if (!found.has(key)) found.set(key, `${ratio.toFixed(2)} ${key}: ${walker.currentNode.data.trim().slice(0, 30)}`);
  }
  return [...found.values()];
}
