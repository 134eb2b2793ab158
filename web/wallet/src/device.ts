/** Device features besides showing a page. */
import { notify } from './notices.ts';
import { t } from './text/languages.ts';

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(t('copied'));
  } catch {
    notify(t('copy.failed'));
  }
}

/** Shares a link or a text such as an address. Without a share feature, it is copied. */
export async function share(title: string, shared: string): Promise<void> {
  if (!navigator.share) return copy(shared);
  const isLink = shared.startsWith(location.origin);
  await navigator.share(isLink ? { title, url: shared } : { title, text: shared }).catch(() => {});
}

/** Offers a text as a file download. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
