import { cleanNote, MAX_NOTE } from '../money/notes.ts';
import { t } from '../text/text.ts';
import { Field } from './parts.tsx';

/** From here on, the field says how many characters are left. */
const NEARLY_FULL = MAX_NOTE - 30;

/** The note of a payment or a request, in any script. */
export function NoteField({ note, onChange }: { readonly note: string; readonly onChange: (note: string) => void }) {
  const { length } = [...note];
  return (
    <Field
      id="note"
      label={t('note')}
      value={note}
      dir="auto"
      autocomplete="off"
      placeholder={t('note.example')}
      hint={length > NEARLY_FULL && t('note.left', { count: String(MAX_NOTE - length) })}
      onInput={(event) => {
        const typed = event.currentTarget.value;
        const clean = cleanNote(typed);
        // Also when the state stays the same: the field must not keep what was removed.
        if (clean !== typed) event.currentTarget.value = clean;
        onChange(clean);
      }}
    />
  );
}
