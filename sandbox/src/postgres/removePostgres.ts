import { chooseHome, removeHome } from './chooseHome.ts';
import { getBinaries } from './findBinaries.ts';
import { adoptPostmaster, stopPostmaster } from './runPostmaster.ts';

/** Stops the server on the cluster of `dataDir`, then deletes the cluster. */
export async function removePostgres(dataDir: string): Promise<void> {
  const home = chooseHome(dataDir, getBinaries());
  const orphan = await adoptPostmaster(home);
  if (orphan) await stopPostmaster(home, orphan.pid, 'SIGQUIT');
  removeHome(dataDir);
}
