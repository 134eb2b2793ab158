/**
 * As much of a page as Preact needs to draw the wallet's screens, without a browser: elements with attributes, children
 * and listeners. Layout, focus and styles are for the tests in a real browser.
 */
type Listener = (event: object) => void;
type Child = PageElement | PageText;

class PageNode {
  parentNode: PageElement | null = null;
  get nextSibling(): Child | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this as never) + 1] ?? null;
  }
  remove(): void {
    this.parentNode?.removeChild(this as never);
  }
}

class PageText extends PageNode {
  readonly nodeType = 3;
  data: string;
  constructor(data: string) {
    super();
    this.data = data;
  }
  get textContent(): string {
    return this.data;
  }
}

class PageElement extends PageNode {
  readonly nodeType = 1;
  readonly localName: string;
  readonly childNodes: Child[] = [];
  readonly attributes = new Map<string, string>();
  readonly style: Record<string, unknown> = { setProperty() {} };
  readonly #listeners = new Map<string, Listener>();
  // Preact checks for these before it decides whether something is a property, an event or an attribute.
  onclick = null;
  oninput = null;
  onchange = null;
  onsubmit = null;
  value = '';
  disabled = false;
  checked = false;

  constructor(localName: string) {
    super();
    this.localName = localName;
  }
  get firstChild(): Child | null {
    return this.childNodes[0] ?? null;
  }
  get textContent(): string {
    return this.childNodes.map((child) => child.textContent).join('');
  }
  insertBefore(child: Child, before: Child | null): Child {
    child.parentNode?.removeChild(child);
    const at = before ? this.childNodes.indexOf(before) : -1;
    this.childNodes.splice(at === -1 ? this.childNodes.length : at, 0, child);
    child.parentNode = this;
    return child;
  }
  appendChild(child: Child): Child {
    return this.insertBefore(child, null);
  }
  removeChild(child: Child): Child {
    const at = this.childNodes.indexOf(child);
    if (at !== -1) this.childNodes.splice(at, 1);
    child.parentNode = null;
    return child;
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, String(value));
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }
  removeEventListener(type: string): void {
    this.#listeners.delete(type);
  }
  focus(): void {}

  /** Dispatches an event as if a person had caused it. A disabled button ignores it. */
  dispatch(type: string): void {
    if (this.disabled) return;
    const event = { type, target: this, currentTarget: this, button: 0, preventDefault() {}, stopPropagation() {} };
    this.#listeners.get(type)?.call(this, event);
  }
  /** Itself and everything within, in order. */
  *walk(): Generator<PageElement> {
    yield this;
    for (const child of this.childNodes) if (child instanceof PageElement) yield* child.walk();
  }
}

interface Page {
  readonly root: PageElement;
  readonly gone: string[];
  /** The button or link with this text or label. */
  button(name: RegExp | string): PageElement;
  field(id: string): PageElement;
  text(): string;
}

const nameOf = (element: PageElement): string =>
  (element.attributes.get('aria-label') ?? element.textContent).replace(/\s+/g, ' ').trim();

/** `stub` sets a global of this file's tests. Returns what is on the page. */
export function openPage(stub: (name: string, value: unknown) => void, facts: object): Page {
  const root = new PageElement('body');
  const gone: string[] = [];
  const listeners = { addEventListener() {}, removeEventListener() {} };
  const stored = new Map<string, string>();
  stub('location', {
    ...{ origin: 'https://wallet.example.com', pathname: '/', search: '' },
    assign: (to: string) => gone.push(to),
  });
  stub('document', {
    ...{ ...listeners, title: '', visibilityState: 'visible', documentElement: { dir: 'ltr', lang: 'en' }, body: root },
    createElementNS: (_: string, name: string) => new PageElement(name),
    createElement: (name: string) => new PageElement(name),
    createTextNode: (text: string) => new PageText(text),
    querySelector: () => null,
    getElementById: (id: string) => (id === 'facts' ? { textContent: JSON.stringify(facts) } : null),
  });
  stub('window', { ...listeners });
  stub('addEventListener', () => {});
  stub('removeEventListener', () => {});
  stub('history', {
    pushState: (_: unknown, __: string, to: string) => gone.push(to),
    replaceState: (_: unknown, __: string, to: string) => gone.push(to),
    back: () => gone.push('back'),
  });
  stub('navigator', { language: 'en' });
  stub('scrollTo', () => {});
  stub('requestAnimationFrame', (work: () => void) => setTimeout(work, 0));
  stub('cancelAnimationFrame', (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer));
  stub('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
  return {
    root,
    gone,
    button(name) {
      const all = [...root.walk()].filter(({ localName }) => localName === 'button' || localName === 'a');
      const found = all.find((one) => (name instanceof RegExp ? name.test(nameOf(one)) : nameOf(one) === name));
      if (!found) throw new Error(`no button named ${name}, only ${all.map(nameOf).join(' | ')}`);
      return found;
    },
    field(id) {
      const found = [...root.walk()].find((one) => one.attributes.get('id') === id);
      if (!found) throw new Error(`there is no field ${id}`);
      return found;
    },
    text: () => root.textContent,
  };
}
