// The one time of the page, which every plot and 3-D view shows, and the window of time that all plots show.
export class Timeline {
  constructor(start, end) {
    this.start = start;
    this.end = end;
    this.time = start;
    this.view = { min: start, max: end };
    this.playing = false;
    this.speed = 1;
    this.listeners = { time: [], view: [], play: [] };
  }

  on(what, listener) { this.listeners[what].push(listener); }
  tell(what) { for (const listener of this.listeners[what]) listener(); }

  get span() { return this.end - this.start; }
  get zoomed() { return this.view.min > this.start || this.view.max < this.end; }

  setTime(t) {
    const time = Math.min(this.end, Math.max(this.start, t));
    if (time === this.time) return;
    this.time = time;
    this.tell("time");
  }

  setView(min, max) {
    const least = Math.max(this.span * 1e-6, 1e-6);
    const width = Math.min(this.span, Math.max(least, max - min));
    const from = Math.min(this.end - width, Math.max(this.start, (min + max - width) / 2));
    if (Math.abs(from - this.view.min) + Math.abs(from + width - this.view.max) < 1e-9 * this.span) return;
    this.view = width === this.span ? { min: this.start, max: this.end } : { min: from, max: from + width };
    this.tell("view");
  }

  zoom(factor, at) { this.setView(at + (this.view.min - at) * factor, at + (this.view.max - at) * factor); }
  pan(by) { this.setView(this.view.min + by, this.view.max + by); }
  reset() { this.setView(this.start, this.end); }

  play() {
    if (this.playing) return;
    if (this.time >= this.end) this.setTime(this.start);
    this.playing = true;
    this.tell("play");
    let last = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      this.setTime(this.time + Math.max(0, now - last) / 1000 * this.speed);
      last = now;
      if (this.time >= this.end) this.pause();
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell("play");
  }
}
