import { createRoot } from 'react-dom/client';
import { openTheme } from '../../wallet/src/theme.ts';
import { App } from './App.tsx';
import { openSession } from './session.ts';
import { openLanguage } from './text/text.ts';

openTheme();
// The page already shows a skeleton, which stays until there is something to show.
void Promise.all([openSession(), openLanguage()]).then(() =>
  createRoot(document.getElementById('root')!).render(<App />),
);
