/** Runs before each test file. Passes the address of the project's PostgreSQL to it and to the processes it starts. */
import { inject } from 'vitest';
import { stopAsyncStores } from './run/stopAsyncStores.ts';

stopAsyncStores();

process.env.FLORIN_TEST_DATABASE_URL = inject('databaseUrl');
process.env.FLORIN_TEST_LOGINS = JSON.stringify(inject('logins'));
