/** The progress display of `npm start`: a line when a step begins and one when it is done. */

/** Marks the step as done. */
type EndStep = (line: string) => void;

export interface Progress {
  begin(what: string): EndStep;
  note(line: string): void;
}

interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

interface RunningProgress extends Progress {
  /** Removes the spinner; lines can still be written. */
  stop(): void;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const CLEAR = '\r\x1b[2K';

/**
 * On a terminal, the running steps share one line with a spinner, which is replaced. Otherwise (a file, a pipe) every
 * step prints a line when it begins, and nothing is overwritten.
 */
export function createProgress(screen: Screen, startedAt = Date.now()): RunningProgress {
  const isTerminal = screen.isTTY === true;
  const running = new Map<symbol, { readonly what: string; readonly since: number }>();
  let frame = 0;
  let timer: NodeJS.Timeout | undefined;

  const clear = () => (isTerminal && running.size > 0 ? CLEAR : '');
  const spin = () => (isTerminal && running.size > 0 ? renderSpinner() : '');
  const print = (line: string, before: string) => screen.write(`${before}${line}\n${spin()}`);
  const stamp = (line: string) => `[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${line}`;

  function renderSpinner(): string {
    const steps = [...running.values()];
    const seconds = Math.floor((Date.now() - Math.min(...steps.map(({ since }) => since))) / 1000);
    const line = `${FRAMES[frame++ % FRAMES.length]} ${steps.map(({ what }) => what).join(', ')} (${seconds} s)`;
    // A line that wraps could not be replaced.
    return CLEAR + line.slice(0, (screen.columns ?? 80) - 1);
  }

  function draw(): void {
    if (!isTerminal || running.size === 0) return;
    screen.write(renderSpinner());
    timer ??= setInterval(draw, FRAME_MS).unref();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    const before = clear();
    running.clear();
    if (before) screen.write(before);
  }

  return {
    begin(what) {
      const step = Symbol(what);
      if (isTerminal) {
        running.set(step, { what, since: Date.now() });
        draw();
      } else print(stamp(`${what} …`), '');
      return (line) => {
        const before = clear();
        running.delete(step);
        print(stamp(line), before);
        if (running.size === 0) stop();
      };
    },
    note: (line) => print(line, clear()),
    stop,
  };
}
