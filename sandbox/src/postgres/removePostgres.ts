import { chooseHome, removeHome } from './chooseHome.ts';
import { getBinaries } from './findBinaries.ts';
import { adoptPostmaster, stopPostmaster } from './runPostmaster.ts';

/** Ends what runs on the cluster of `dataDir`, then deletes it, wherever it lives. */
export async function removePostgres(dataDir: string): Promise<void> {
  const home = chooseHome(dataDir, getBinaries());
  const orphan = await adoptPostmaster(home);
  if (orphan) await stopPostmaster(home, orphan.pid, 'SIGQUIT');
  removeHome(dataDir);
}
