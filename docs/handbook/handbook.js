// The only script of the handbook: search, and a button that copies a block of code. Every page can be read without it.
(() => {
  const box = document.querySelector('.search');
  const input = box.querySelector('input');
  const list = box.querySelector('ul');
  const panel = box.querySelector('.found');
  const status = box.querySelector('p');
  const MOST = 12;
  let entries;
  let chosen = -1;

  const make = (name, text, parent) => {
    const element = document.createElement(name);
    element.textContent = text;
    parent?.append(element);
    return element;
  };

  /** Loaded once, when the reader starts to search. */
  const load = () => {
    entries ??= fetch('/handbook.json').then((answer) => answer.json());
    entries.catch(() => {
      entries = undefined;
    });
    return entries;
  };

  /** How well a word of the question fits; 0: it is nowhere. Titles count more than texts, whole words more than parts. */
  const rateTerm = (term, names, title, text) => {
    if (names.includes(term)) return 20;
    if (names.some((name) => name.startsWith(term))) return 12;
    if (title.includes(term)) return 8;
    if (text.includes(` ${term}`)) return 4;
    return text.includes(term) ? 1 : 0;
  };

  /** The worst word decides, so what has all of them in its title comes first. */
  const rate = ([title, , kind, about, words], terms) => {
    const name = title.toLowerCase();
    const names = `${name} ${kind.toLowerCase()}`.split(/[^\p{L}\p{N}_]+/u);
    const text = ` ${about.toLowerCase()} ${words}`;
    const rates = terms.map((term) => rateTerm(term, names, name, text));
    const worst = Math.min(...rates);
    if (worst === 0) return 0;
    return 10 * worst + rates.reduce((sum, one) => sum + one) + (name === terms.join(' ') ? 1000 : 0);
  };

  const close = () => {
    panel.hidden = true;
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };

  const choose = (next) => {
    const options = [...list.children];
    if (options.length === 0) return;
    options[chosen]?.setAttribute('aria-selected', 'false');
    chosen = (next + options.length) % options.length;
    options[chosen].setAttribute('aria-selected', 'true');
    options[chosen].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', options[chosen].id);
  };

  const renderOption = ([title, href, kind, about], nth) => {
    const option = document.createElement('li');
    option.id = `found-${nth}`;
    option.role = 'option';
    option.setAttribute('aria-selected', 'false');
    const link = make('a', '', option);
    link.href = href;
    link.tabIndex = -1;
    make('i', kind, link);
    make('b', title, link);
    make('small', about, link);
    return option;
  };

  const search = async () => {
    const question = input.value.trim();
    const terms = question.toLowerCase().split(/\s+/).filter(Boolean);
    if (terms.length === 0) return close();
    let all;
    try {
      all = await load();
    } catch {
      all = undefined;
    }
    // The reader has typed more in the meantime.
    if (input.value.trim() !== question) return;
    const rated = (all ?? [])
      .map((entry) => ({ entry, sum: rate(entry, terms) }))
      .filter(({ sum }) => sum > 0)
      .sort((one, other) => other.sum - one.sum);
    const shown = rated.slice(0, MOST);
    list.replaceChildren(...shown.map(({ entry }, nth) => renderOption(entry, nth)));
    if (!all) status.textContent = 'The search cannot be loaded now.';
    else if (shown.length === 0) status.textContent = `Nothing was found for “${question}”.`;
    else status.textContent = rated.length > MOST ? `${rated.length - MOST} more: say it in more words.` : '';
    panel.hidden = false;
    chosen = -1;
    input.setAttribute('aria-expanded', 'true');
    input.removeAttribute('aria-activedescendant');
    if (shown.length > 0) choose(0);
  };

  box.hidden = false;
  input.addEventListener('focus', () => load().catch(() => {}));
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') list.children[chosen]?.firstElementChild.click();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', close);
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target)) close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select, [contenteditable]');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });

  // The page that is open is in sight in the menu. The viewer of the references has no menu.
  const menu = document.querySelector('#menu');
  const showHere = () => {
    const here = menu.querySelector('[aria-current]');
    if (here) menu.scrollTop = here.offsetTop - menu.clientHeight / 2;
  };
  if (menu) {
    showHere();
    menu.addEventListener('toggle', showHere);
  }

  // Only where the browser allows it: over https, and on this machine.
  if (navigator.clipboard) {
    for (const block of document.querySelectorAll('.code')) {
      const button = make('button', 'Copy', block);
      button.type = 'button';
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(block.querySelector('code').textContent);
        button.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = 'Copy';
        }, 2000);
      });
    }
  }
})();
