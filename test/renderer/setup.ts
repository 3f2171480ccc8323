// jsdom lays nothing out: nothing ever changes its size.
globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};

// jsdom has no Web Animations: finish every animation at once.
Element.prototype.animate = function animate(): Animation {
  const animation = {
    onfinish: null as (() => void) | null,
    cancel(): void {},
    finish(): void {},
    currentTime: 0,
    playState: 'finished',
    effect: null,
  };
  queueMicrotask(() => animation.onfinish?.());
  return animation as unknown as Animation;
};
