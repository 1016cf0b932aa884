// What a canvas shows, as pages of the tests report it.

export function pixels(canvas) {
  if (!canvas?.width) return new Uint32Array();
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  return new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
}

export function colours(canvas) {
  return new Set(pixels(canvas)).size;
}
