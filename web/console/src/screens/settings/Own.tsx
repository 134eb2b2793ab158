import { useStore } from '../../../../wallet/src/store.ts';
import { setTheme, theme } from '../../../../wallet/src/theme.ts';
import { Button, Choice } from '../../../../wallet/src/ui/plain.tsx';
import { logOut, session } from '../../session.ts';
import { LANGUAGES, language, nameLanguage, setLanguage, t } from '../../text/text.ts';
import { Fact, Facts, Panel } from '../../ui/page.tsx';
import { Time } from '../../ui/show.tsx';

/** Who is logged in, and how the console looks. */
export function Own() {
  const state = useStore(session);
  const shown = useStore(theme);
  const spoken = useStore(language);
  if (state.state !== 'open') return null;
  return (
    <>
      <Panel title={t('own')}>
        <Facts>
          <Fact label={t('own.operator')}>
            <bdi>{state.operator}</bdi>
          </Fact>
          <Fact label={t('own.role')}>{t(`role.${state.role}`)}</Fact>
          <Fact label={t('own.since')}>
            <Time at={state.since} />
          </Fact>
          <Fact label={t('own.ends')}>
            <Time at={state.ends_at} />
          </Fact>
        </Facts>
        <p className="hint">{t(`role.${state.role}.text`)}</p>
        <Button icon="leave" onClick={() => void logOut()}>
          {t('logout')}
        </Button>
      </Panel>
      <Panel title={t('appearance')}>
        <Choice
          id="theme"
          label={t('theme')}
          options={{ system: t('theme.system'), light: t('theme.light'), dark: t('theme.dark') }}
          chosen={shown}
          onChoose={setTheme}
        />
        <Choice
          id="language"
          label={t('language')}
          options={Object.fromEntries(LANGUAGES.map((code) => [code, nameLanguage(code)]))}
          chosen={spoken}
          onChoose={(next) => void setLanguage(next)}
        />
      </Panel>
    </>
  );
}
