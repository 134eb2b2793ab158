import { type LoginApp, login } from '../../customers/login/login.ts';
import type { IssuedTokens } from '../../customers/sessions/sessions.ts';
import type { Customer } from '../../customers/users.ts';
import type { Operation } from '../contract/operation.ts';

export const loginOperation =
  (app: LoginApp & { readonly homeBlockchain: string }): Operation =>
  async (call) => {
    const { id_token: idToken } = call.body as { id_token: string };
    const { user, wallet, tokens, newUser } = await login(app, {
      idToken,
      userAgent: call.headers['user-agent'] ?? null,
    });
    return {
      body: {
        ...renderCustomer({ user, wallet }, app.homeBlockchain),
        ...renderTokens(tokens),
        new_user: newUser,
      },
    };
  };

export const renderCustomer = ({ user, wallet }: Customer, homeBlockchain: string) => ({
  user: {
    user_id: user.userId,
    email: user.email,
    username: user.username,
    kyc_status: user.kycStatus,
    created_at: user.createdAt.toISOString(),
  },
  wallet: {
    wallet_id: wallet?.walletId ?? null,
    address: wallet?.address ?? null,
    blockchain: homeBlockchain,
  },
});

export const renderTokens = (tokens: IssuedTokens) => ({
  access_token: tokens.accessToken,
  token_type: 'Bearer',
  expires_in: tokens.expiresInSeconds,
  refresh_token: tokens.refreshToken,
  session_id: tokens.sessionId,
});
