/**
 * Pays an address from one of your wallets and waits until the payment is final. The order's number is the key: started
 * again, even after a crash, it pays nothing more and continues to wait.
 *
 *     npm run build -w @florin/client
 *     node --import tsx examples/payAndWait.ts alice 0x8ba1f109551bD432803012645Ac136ddd64DBA72 1.5 order-1001
 */
import { createClient, FlorinError } from '@florin/client';

const [username, address, amount, order] = process.argv.slice(2);
if (!username || !address || !amount || !order) {
  console.error('usage: payAndWait.ts USERNAME ADDRESS AMOUNT ORDER');
  process.exit(2);
}
const florin = createClient({
  web3Url: process.env.FLORIN_WEB3_URL ?? 'http://127.0.0.1:8000',
  web3Key: process.env.FLORIN_SERVICE_KEY,
  onRetry: (error, pauseMs) => console.error(`${error.code}: retrying in ${Math.round(pauseMs)} ms`),
});

try {
  const sent = await florin.wallets.send(
    { destination_address: address, amount, wallet_username: username },
    { idempotencyKey: order, waitSeconds: 20 },
  );
  console.log(`${sent.transaction_id} is ${sent.state}`);
  const ended = await florin.wallets.waitFor(sent);
  console.log(`${ended.amount} USDC to ${address}: ${ended.state} ${ended.tx_hash ?? ended.error_reason}`);
  process.exitCode = ended.state === 'COMPLETE' ? 0 : 1;
} catch (error) {
  if (!(error instanceof FlorinError)) throw error;
  console.error(`${error.title}. ${error.detail}`);
  if (error.outcomeUnknown) console.error(`It may have been paid. Run this again with the order ${order}.`);
  process.exitCode = 1;
}
