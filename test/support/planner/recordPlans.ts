/** The plans that PostgreSQL runs, also inside functions: `auto_explain` sends each to the client as a notice. */
import pg from 'pg';

export interface Ran {
  /** The function that ran the statement, and those that called it; empty: a statement of our own. */
  readonly functions: readonly string[];
  /** The text of the statement and its plan. */
  readonly plan: string;
}

/** For sessions that begin later. */
export const EXPLAIN_ALL = `DO $$
  DECLARE
    one text;
  BEGIN
    FOREACH one IN ARRAY ARRAY['session_preload_libraries = auto_explain', 'auto_explain.log_min_duration = 0',
      'auto_explain.log_nested_statements = on', 'client_min_messages = log']
    LOOP
      EXECUTE format('ALTER DATABASE %I SET %s', current_database(), one);
    END LOOP;
  END $$`;

interface Notice {
  readonly message: string;
  readonly where?: string;
}

const CALLED = /PL\/pgSQL function (\w+)\(|SQL function "(\w+)"/g;

export interface PlanRecorder {
  /** The plans of everything that these connections run during `work`. */
  record(work: () => Promise<unknown>): Promise<Ran[]>;
  close(): void;
}

/** Records the connections that are opened before it is closed. */
export function openPlanRecorder(): PlanRecorder {
  const client = pg.Client.prototype as unknown as { _handleNotice(notice: Notice): void };
  const original = client._handleNotice;
  let ran: Ran[] = [];
  client._handleNotice = ({ message, where = '' }) => {
    const plan = message.split(' plan:\n')[1];
    if (plan) ran.push({ plan, functions: [...where.matchAll(CALLED)].map(([, name, sql]) => (name ?? sql)!) });
  };
  return {
    async record(work) {
      ran = [];
      await work();
      return ran;
    },
    close: () => {
      client._handleNotice = original;
    },
  };
}
