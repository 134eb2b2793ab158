/** Passes the address of the project's PostgreSQL to every test file and to the processes it starts. */
import { inject } from 'vitest';

process.env.FLORIN_TEST_DATABASE_URL = inject('databaseUrl');
process.env.FLORIN_TEST_LOGINS = JSON.stringify(inject('logins'));
