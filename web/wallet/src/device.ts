/** What the device can do beside showing a page. */
import { notify } from './notices.ts';
import { t } from './text/text.ts';

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(t('copied'));
  } catch {
    notify(t('copy.failed'));
  }
}

/** Where there is nothing to share with, the link is copied. */
export async function share(title: string, url: string): Promise<void> {
  if (!navigator.share) return copy(url);
  await navigator.share({ title, url }).catch(() => {});
}

/** Gives a text to the person as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
