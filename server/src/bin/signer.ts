/** The signer: alone holds keys, and signs only what is committed. Any number of them may run on one database. */
import { loadSignerConfig } from './config/config.ts';
import { runProcess } from './runProcess.ts';
import { startSigner } from './startSigner.ts';

runProcess(loadSignerConfig, startSigner);
