// Written by `npm run generate` from the OpenAPI documents. Do not edit.

export interface paths {
    "/api/v1/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Log in with an ID token */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get new tokens */
        post: operations["refresh_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sessions */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        /** Log out everywhere */
        delete: operations["end_all_sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a session */
        delete: operations["revoke_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your keys */
        get: operations["list_account_keys"];
        put?: never;
        /** Create a key */
        post: operations["create_account_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a key */
        delete: operations["revoke_account_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your passkeys */
        get: operations["list_passkeys"];
        put?: never;
        /** Add a passkey */
        post: operations["add_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/passkeys/challenges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a challenge */
        post: operations["create_passkey_challenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/passkeys/proofs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirm a deed */
        post: operations["prove_passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/passkeys/rule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Set when payments need a passkey */
        post: operations["set_passkey_rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/passkeys/keep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep your passkeys */
        post: operations["keep_passkeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/passkeys/{passkey_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a passkey */
        delete: operations["remove_passkey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/set_username": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Choose or change a username */
        post: operations["set_username"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/send_usdc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pay a user */
        post: operations["send_usdc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{transaction_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a payment to an address */
        post: operations["cancel_transaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/latest_transactions_by_username/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List payments, newest first */
        get: operations["latest_transactions_by_username"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List requests for money */
        get: operations["list_requests"];
        put?: never;
        /** Ask for money */
        post: operations["ask_for_money"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a request for money */
        get: operations["get_request"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests/{request_id}/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pay a request for money */
        post: operations["pay_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests/{request_id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decline a request for money */
        post: operations["decline_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/requests/{request_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a request for money */
        post: operations["cancel_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export your account */
        get: operations["export_account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close your account */
        post: operations["close_account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/limits/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the limits of a person */
        get: operations["read_limits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get your own account */
        get: operations["read_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change your settings */
        patch: operations["change_me"];
        trace?: never;
    };
    "/api/v1/me/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get your own balances */
        get: operations["read_my_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/recipients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your recipients */
        get: operations["list_my_recipients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find out what became of an Idempotency-Key */
        get: operations["find_keyed_payment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/transactions/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a payment */
        get: operations["get_transaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usernames/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether a username is free */
        get: operations["check_username"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/addresses/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find out whether an address belongs to a customer */
        get: operations["find_address"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/names/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find a username that its owner has made public */
        get: operations["find_public_name"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/public/requests/{request_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a request for money by its link */
        get: operations["find_public_request"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview a payment */
        post: operations["preview_payment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/send_to_address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pay an address from your own wallet */
        post: operations["send_to_address"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read events */
        get: operations["list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Follow your own events */
        get: operations["stream_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kyc/applicant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start an identity check */
        post: operations["start_kyc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kyc/access-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Get a token for the provider's web SDK */
        post: operations["issue_kyc_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kyc/check-status/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Update the status from the provider */
        post: operations["check_kyc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/kyc/status/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the stored status */
        get: operations["read_kyc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List payouts */
        get: operations["list_payouts"];
        put?: never;
        /** Check a payout file */
        post: operations["create_payout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payouts/{payout_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a payout */
        get: operations["get_payout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payouts/{payout_id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a payout */
        post: operations["confirm_payout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payouts/{payout_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel the rest of a payout */
        post: operations["cancel_payout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payouts/{payout_id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the rows of a payout */
        get: operations["list_payout_items"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/payouts/{payout_id}/items.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the rows of a payout */
        get: operations["export_payout_items"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks */
        get: operations["list_webhooks"];
        put?: never;
        /** Add a webhook */
        post: operations["create_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook */
        get: operations["get_webhook"];
        put?: never;
        post?: never;
        /** Remove a webhook */
        delete: operations["remove_webhook"];
        options?: never;
        head?: never;
        /** Change a webhook */
        patch: operations["change_webhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rotate the secret */
        post: operations["rotate_webhook_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List deliveries */
        get: operations["list_webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/deliveries/{event_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send one event again */
        post: operations["replay_webhook_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a time span again */
        post: operations["replay_webhook_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event */
        post: operations["test_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * LoginRequest
         * @description The credentials of a login.
         */
        LoginRequest: {
            /**
             * Id Token
             * @description An ID token from a configured issuer
             */
            id_token: string;
        };
        /**
         * RefreshRequest
         * @description The token that continues a session.
         */
        RefreshRequest: {
            /**
             * Refresh Token
             * @description The latest refresh token of the session
             */
            refresh_token: string;
        };
        /**
         * SetUsernameRequest
         * @description A new username for a user.
         */
        SetUsernameRequest: {
            /**
             * User Id
             * Format: uuid
             * @description User's unique ID
             */
            user_id: string;
            /**
             * Username
             * @description Desired username
             */
            username: string;
        };
        /**
         * SendToUserRequest
         * @description A payment to a person.
         */
        SendToUserRequest: {
            /**
             * Sender User Id
             * Format: uuid
             * @description User ID of the sender
             */
            sender_user_id: string;
            /**
             * Receiver Username
             * @description Username of the receiver
             */
            receiver_username: string;
            /**
             * Amount
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            amount: string;
            /**
             * Payment Note
             * @description What the payment is for. Both people see it. At most 140 characters of plain text in one line, with no control characters and none that change the direction of the text
             */
            payment_note?: string | null;
        };
        /**
         * User
         * @description A person who has logged in.
         */
        User: {
            /**
             * Format: uuid
             * @description Never changes
             */
            user_id: string;
            /** @description From the ID token; null if the token has none */
            email: string | null;
            /** @description Null until one is chosen */
            username: string | null;
            kyc_status: components["schemas"]["KycState"];
            /**
             * Format: date-time
             * @description The time of the first login
             */
            created_at: string;
        };
        /**
         * Wallet
         * @description A person's wallet on a blockchain.
         */
        Wallet: {
            /** @description Null while the wallet is being created; a later login returns it */
            wallet_id: string | null;
            /** @description Null while the wallet is being created; payments by username already work */
            address: string | null;
            /** @description The blockchain on which people pay each other */
            blockchain: string;
        };
        /**
         * LoginAnswer
         * @description A session and its user.
         */
        LoginAnswer: components["schemas"]["Tokens"] & {
            /** @description The user who logged in */
            user: components["schemas"]["User"];
            /** @description Their wallet */
            wallet: components["schemas"]["Wallet"];
            /** @description Whether this login created the user */
            new_user: boolean;
        };
        /**
         * Tokens
         * @description The tokens of a session.
         */
        Tokens: {
            /** @description Send it as `Authorization: Bearer …` */
            access_token: string;
            /**
             * @description Always `Bearer`
             * @constant
             */
            token_type: "Bearer";
            /** @description Seconds until the access token expires */
            expires_in: number;
            /** @description Can be used for one refresh */
            refresh_token: string;
            /**
             * Format: uuid
             * @description The session these tokens belong to
             */
            session_id: string;
        };
        /**
         * Session
         * @description A login on one device.
         */
        Session: {
            /**
             * Format: uuid
             * @description The id for ending the session
             */
            session_id: string;
            /**
             * Format: date-time
             * @description The time of the login
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time of the last use
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description The time when the session ends if it is not refreshed
             */
            expires_at: string;
            /** @description The user agent at login */
            user_agent: string | null;
            /** @description Whether this call uses the session */
            current: boolean;
        };
        /**
         * SessionList
         * @description The sessions of the caller.
         */
        SessionList: {
            /** @description The sessions that have not ended, newest first */
            sessions: components["schemas"]["Session"][];
        };
        /**
         * SessionRevoked
         * @description The session has ended.
         */
        SessionRevoked: {
            /** @description Always true; a refusal is a problem document */
            success: boolean;
            /**
             * Format: uuid
             * @description The session that ended
             */
            session_id: string;
        };
        /**
         * UsernameSet
         * @description The new username.
         */
        UsernameSet: {
            /** @description Always true; a refusal is a problem document */
            success: boolean;
            /**
             * Format: uuid
             * @description The id of the user
             */
            user_id: string;
            /** @description The stored name, in lower case */
            username: string;
            /** @description The previous name, which redirects here for 90 days; null if there was none */
            previous_username: string | null;
        };
        /**
         * Transaction
         * @description A payment with its timeline.
         */
        Transaction: {
            /**
             * Format: uuid
             * @description The id of the payment, here, at the wallet provider and on the chain
             */
            transaction_id: string;
            state: components["schemas"]["TransactionState"];
            kind: components["schemas"]["TransactionKind"];
            /** @description The amount of the payment */
            amount: components["schemas"]["UsdcAmount"];
            /** @description The blockchain that holds the USDC */
            blockchain: string;
            /** @description The payer */
            from: components["schemas"]["Party"];
            /** @description The receiver */
            to: components["schemas"]["Party"];
            /** @description The current chain transaction of the payment, if there is one */
            tx_hash: string | null;
            /** @description The network fee in USDC, once it is known */
            network_fee: components["schemas"]["UsdcAmount"] | null;
            /** @description The reason for the failure */
            error_reason: string | null;
            /**
             * Format: date-time
             * @description The time when the payment was accepted
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time of the last change
             */
            updated_at: string;
            /** @description Every step, oldest first */
            timeline: components["schemas"]["TimelineStep"][];
            /** @description What the payment is for, as whoever made it wrote it, at most 140 characters. Plain text: escape it before you show it. Absent if there is none, or if it was removed */
            payment_note?: string;
            /**
             * Format: uuid
             * @description The payment that this one gives back, in whole or in part. Absent unless it is a refund
             */
            refund_of?: string;
            /** @description Why the service made it, in the words of an operator: of a refund or a correction. Plain text: escape it before you show it. Absent for other payments */
            reason?: string;
        };
        /**
         * Party
         * @description A person, an address or a wallet. Only one of them is given: no response reveals who owns an address.
         */
        Party: components["schemas"]["UserParty"] | components["schemas"]["AddressParty"] | components["schemas"]["WalletParty"];
        /**
         * TimelineStep
         * @description One step of a payment.
         */
        TimelineStep: {
            /**
             * Format: date-time
             * @description The time of the step
             */
            at: string;
            /** @description The state that the payment reached; null for an event that does not change the state */
            state: components["schemas"]["TransactionState"] | null;
            /** @description The chain transaction of this step; replaced transactions stay in the timeline */
            tx_hash: string | null;
            /** @description What happened, or what the payment is waiting for */
            note: string | null;
        };
        /**
         * SentToUser
         * @description A payment between people. It is always complete.
         */
        SentToUser: components["schemas"]["Transaction"] & {
            /**
             * @description Always true; a refusal is a problem document
             * @constant
             */
            success: true;
            /** @description The sender's balance after the payment */
            available: components["schemas"]["UsdcBalance"];
            /** @description An id for the sender's books */
            receipt_id: string;
            /**
             * @description Payments between people are final immediately
             * @constant
             */
            state?: "COMPLETE";
            /**
             * @description A payment between people
             * @constant
             */
            kind?: "user";
        };
        /**
         * TransactionPage
         * @description A page of history.
         */
        TransactionPage: {
            /** @description The current username of the person whose history this is */
            username: string;
            /** @description Newest first */
            transactions: components["schemas"]["ListedTransaction"][];
            /** @description The cursor of the next page; null on the last page */
            next_cursor: string | null;
        };
        /**
         * AskForMoney
         * @description A new request for money
         */
        AskForMoney: {
            /**
             * Payer Username
             * @description The person who is asked; if absent, anyone who has the link can pay
             */
            payer_username?: string | null;
            /**
             * Amount
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            amount: string;
            /**
             * Note
             * @description The purpose: one line, without control characters
             */
            note?: string | null;
            /**
             * Expires At
             * @description The time until which the request can be paid (RFC 3339), at most 366 days from now; seven days by default
             */
            expires_at?: string | null;
        };
        /**
         * MoneyRequest
         * @description A request for money
         */
        MoneyRequest: {
            /**
             * Format: uuid
             * @description Also the `transaction_id` of its payment. For a request by link, the id is the permission to pay
             */
            request_id: string;
            /**
             * @description Every state except `open` is final
             * @enum {string}
             */
            state: "open" | "paid" | "declined" | "cancelled" | "expired";
            /**
             * @description Whether the request is to you or from you
             * @enum {string}
             */
            direction: "incoming" | "outgoing";
            /** @description The current username of the person who asks */
            asker_username: string | null;
            /** @description The person who is asked or has paid. Null for an unpaid link, and for callers who neither ask nor are asked */
            payer_username: string | null;
            /** @description Whether anyone who has the id can pay */
            by_link: boolean;
            /** @description USDC, decimal */
            amount: string;
            /** @description The purpose; when the request is paid, the `payment_note` of its payment. Null also if it was removed, and for service keys without the scope `notes` */
            note: string | null;
            /**
             * Format: date-time
             * @description The time when the request was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time until which the request can be paid
             */
            expires_at: string;
            /** @description The time when the request was paid, declined or cancelled, or expired */
            ended_at: string | null;
            /** @description The payment; only the payer and the receiver see it */
            transaction_id: string | null;
        };
        /**
         * MoneyRequestPage
         * @description A page of requests for money
         */
        MoneyRequestPage: {
            /** @description Newest first */
            requests: components["schemas"]["MoneyRequest"][];
            /** @description The cursor of the next page; null on the last page */
            next_cursor: string | null;
        };
        /**
         * AccountExport
         * @description All data stored about a person
         */
        AccountExport: {
            /**
             * Format: date-time
             * @description The time when the export began
             */
            exported_at: string;
            /**
             * ExportedProfile
             * @description Your profile
             */
            profile: {
                /** Format: uuid */
                user_id: string;
                /** @description The address from your identity provider */
                email: string | null;
                email_verified: boolean;
                /** @description Your identity provider */
                issuer: string;
                /** @description Your id at the identity provider */
                subject: string;
                /** @description Whether strangers can find your username */
                discoverable: boolean;
                /** Format: date-time */
                created_at: string;
            };
            /** @description Your current and former usernames */
            usernames: {
                username: string;
                /** Format: date-time */
                from: string;
                /** @description Null for your current name */
                until: string | null;
            }[];
            /** @description Your wallets */
            wallets: {
                wallet_id: string;
                address: string;
                blockchain: string;
            }[];
            /** @description Your balances by blockchain */
            balances: {
                blockchain: string;
                /** @description USDC, decimal */
                available: string;
                /** @description USDC, decimal */
                held: string;
            }[];
            /**
             * ExportedKyc
             * @description Your identity check
             */
            kyc: {
                /** Format: uuid */
                user_id: string;
                /**
                 * @description `approved` only if the provider completed the check with a positive result; `revoked` if an approval was withdrawn
                 * @enum {string}
                 */
                status: "none" | "started" | "pending" | "needs_input" | "approved" | "rejected" | "revoked";
                /** @description Whether the person can repeat the check */
                can_retry: boolean;
                /** @description The reasons for a rejection, in words for the person */
                reasons: string[];
                /** @description The time of the last change; null before the first check */
                updated_at: string | null;
                /** @description Whether the provider failed to respond to the last query */
                stale: boolean;
                /** @description The level of the check */
                level: string | null;
                /** @description Your id at the provider of identity checks */
                applicant_id: string | null;
            };
            /** @description Your current and past sessions */
            sessions: {
                /** Format: uuid */
                session_id: string;
                /** @description The user agent at login */
                user_agent: string | null;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                last_used_at: string;
                /** Format: date-time */
                expires_at: string;
                /** @description Null if the session has not been ended */
                ended_at: string | null;
                /** @description The reason why the session was ended */
                ended_because: string | null;
            }[];
            /** @description Entries of the audit log about you */
            activity: {
                /** Format: date-time */
                at: string;
                action: string;
                /** @description The kind of actor; `user` is you */
                by: string;
            }[];
            /** @description Requests for money that you created or received */
            requests: components["schemas"]["MoneyRequest"][];
            /** @description All payments, newest first */
            transactions: components["schemas"]["ExportedTransaction"][];
        };
        /**
         * ExportedTransaction
         * @description A payment as shown in your history
         */
        ExportedTransaction: {
            /**
             * Format: uuid
             * @description The id of the payment, here, at the wallet provider and on the chain
             */
            transaction_id: string;
            /**
             * @description Never goes backwards; COMPLETE, FAILED, DENIED and CANCELLED are final
             * @enum {string}
             */
            state: "INITIATED" | "CLEARED" | "QUEUED" | "SENT" | "STUCK" | "CONFIRMED" | "COMPLETE" | "FAILED" | "DENIED" | "CANCELLED";
            /**
             * @description Between users, to an address, received from a chain, or booked by the service
             * @enum {string}
             */
            kind: "user" | "chain" | "deposit" | "correction" | "debt";
            /** @description USDC, decimal */
            amount: string;
            /** @description The blockchain of the asset */
            blockchain: string;
            from: components["schemas"]["Party"];
            to: components["schemas"]["Party"];
            /** @description The current chain transaction of the payment, if there is one */
            tx_hash: string | null;
            /** @description The network fee in USDC, once it is known */
            network_fee: string | null;
            /** @description The reason for the failure */
            error_reason: string | null;
            /**
             * Format: date-time
             * @description The time when the payment was accepted
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The time of the last change
             */
            updated_at: string;
            /** @description Every step, oldest first */
            timeline: components["schemas"]["TimelineStep"][];
            /** @description What the payment is for, as whoever made it wrote it, at most 140 characters. Plain text: escape it before you show it. Absent if there is none, or if it was removed */
            payment_note?: string;
            /** @description Your balance after the payment */
            available_after: string;
        };
        /**
         * AccountClosed
         * @description The account is closed
         */
        AccountClosed: {
            /** @description Always true */
            success: boolean;
            /**
             * Format: date-time
             * @description The time when the account was closed
             */
            closed_at: string;
            /** @description The time until which no one else can take your username; null if you had none */
            username_held_until: string | null;
        };
        /**
         * EventType
         * @description The subject of an event, and the state that it has reached. New types can be added: ignore those that you do not know.
         *
         *     - `payment.…`: a payment, by its `state`. A payment between people is `payment.complete` immediately
         *     - `deposit.complete`: coins from outside were credited
         *     - `refund.complete`: a payment was refunded, in full or in part; the transaction is the refund
         *     - `correction.complete`: the service corrected a balance
         *     - `debt.complete`: a blockchain made a payment that the balance did not cover; the service covered the difference, or collected it later
         *     - `request.…`: a request for money, by its `state`
         *     - `kyc.…`: an identity check, by its `status`
         *     - `payout.…`: a payout, by its `state`; sent to services, and to the person whose key made it
         *     - `key.created`, `key.revoked`: a key of the person
         *     - `passkey.…`: the person's passkeys, and when payments need one
         * @enum {string}
         */
        EventType: "payment.initiated" | "payment.cleared" | "payment.queued" | "payment.sent" | "payment.stuck" | "payment.confirmed" | "payment.complete" | "payment.failed" | "payment.denied" | "payment.cancelled" | "deposit.complete" | "refund.complete" | "correction.complete" | "debt.complete" | "request.open" | "request.paid" | "request.declined" | "request.cancelled" | "request.expired" | "kyc.none" | "kyc.started" | "kyc.pending" | "kyc.needs_input" | "kyc.approved" | "kyc.rejected" | "kyc.revoked" | "payout.checked" | "payout.approving" | "payout.running" | "payout.waiting" | "payout.stopping" | "payout.complete" | "payout.cancelled" | "key.created" | "key.revoked" | "passkey.added" | "passkey.removed" | "passkey.rule_changed" | "passkey.removal_begun" | "passkey.removal_ended";
        /**
         * Event
         * @description An event.
         */
        Event: {
            /** @description The same for every reader; also usable as a cursor. Ids sort in the order of the feed */
            id: string;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description The time of the event. Rely on the order of the feed rather than on this time, which can be slightly out of order
             */
            at: string;
            /** @description The payment, deposit or refund */
            transaction_id: string | null;
            /** @description The request for money */
            request_id: string | null;
            /**
             * Format: uuid
             * @description The payout; only in events about payouts
             */
            payout_id?: string;
            /**
             * Format: uuid
             * @description The key; only in events about keys
             */
            key_id?: string;
            /** @description The people concerned. A service sees all of them, a person only themselves. Empty for payments from the treasury */
            user_ids: string[];
            /** @description The current transaction, request, identity check, payout, key or passkeys. Its state can be later than `type` says. A service sees a request as the person who asks does */
            object: components["schemas"]["Transaction"] | components["schemas"]["MoneyRequest"] | components["schemas"]["KycStatus"] | components["schemas"]["Payout"] | components["schemas"]["AccountKey"] | components["schemas"]["Passkeys"];
        };
        /**
         * EventPage
         * @description A page of events.
         */
        EventPage: {
            /** @description Oldest first */
            events: components["schemas"]["Event"][];
            /** @description The cursor to continue from. It can belong to an event that your filter excludes */
            next_cursor: string;
            /** @description Whether there may be more events: call again immediately */
            has_more: boolean;
            /** @description If an earlier database transaction is still open, events from this time on are held back until it ends; otherwise null */
            held_back_since: string | null;
        };
        /**
         * KycRequest
         * @description The person to check.
         */
        KycRequest: {
            /**
             * User Id
             * Format: uuid
             * @description The id of the person
             */
            user_id: string;
        };
        /**
         * SumsubEvent
         * @description Sumsub may add members; Florin reads only these.
         */
        SumsubEvent: {
            /** @description The type of the event */
            type?: string;
            /** @description The provider's id of the applicant */
            applicantId?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * CircleEvent
         * @description Circle may add members; Florin reads only these.
         */
        CircleEvent: {
            /** @description The type of the notification */
            notificationType?: string;
            /** @description The id of the notification; the same when a message is repeated */
            notificationId?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * KycApplicant
         * @description A person at the identity provider.
         */
        KycApplicant: {
            /** @description The provider's id for the person */
            applicant_id: string;
            /**
             * Format: uuid
             * @description The person whose identity is checked
             */
            user_id: string;
            /** @description The set of checks */
            level: string;
            status: components["schemas"]["KycState"];
        };
        /**
         * KycToken
         * @description A token for the identity provider's pages.
         */
        KycToken: {
            /** @description For the provider's web SDK */
            token: string;
            /** @description The provider's id for the person */
            applicant_id: string;
            /** @description Seconds until the token expires */
            expires_in: number;
        };
        /**
         * KycStatus
         * @description The status of an identity check.
         */
        KycStatus: {
            /**
             * Format: uuid
             * @description The person whose identity is checked
             */
            user_id: string;
            status: components["schemas"]["KycState"];
            /** @description Whether the person can repeat the check */
            can_retry: boolean;
            /** @description The reasons for a rejection, in words for the person */
            reasons: string[];
            /** @description The time of the last change; null before the first check */
            updated_at: string | null;
            /** @description Whether the provider failed to respond to the last query */
            stale: boolean;
        };
        /**
         * WebhookReceived
         * @description The message was received.
         */
        WebhookReceived: {
            /** @description Always true */
            received: boolean;
        };
        /**
         * Limits
         * @description The limits of a person.
         */
        Limits: {
            /**
             * Format: uuid
             * @description The id of the person
             */
            user_id: string;
            kyc_status: components["schemas"]["KycState"];
            /** @description The set of limits that follows from the person's identity check */
            tier: string;
            /** @description Whether the person can pay at all now */
            can_pay: boolean;
            /** @description The reason why this person's payments are paused; null if they are not */
            paused: string | null;
            /** @description Each limit of the tier */
            limits: components["schemas"]["Limit"][];
            /**
             * @description What would raise the limits: passing the identity check, or a decision of the operator of this service
             * @enum {string}
             */
            raised_by: "kyc" | "operator";
            /** @description The limits after passing the identity check; null if it has been passed */
            raised_to: components["schemas"]["RaisedLimits"] | null;
        };
        /**
         * Limit
         * @description One limit, with the amount left.
         */
        Limit: {
            /**
             * @description The amount of each payment, the total of the last 24 hours, the total of the last 30 days, or the number of payments in the last 24 hours
             * @enum {string}
             */
            limit: "payment" | "day" | "month" | "count";
            /**
             * @description The unit of the limit
             * @enum {string}
             */
            unit: "USDC" | "payments";
            /** @description Null means no limit */
            maximum: components["schemas"]["UsdcAmount"] | null;
            /** @description Null means no limit */
            left: components["schemas"]["UsdcAmount"] | null;
            /** @description The time when the oldest share leaves the window; null if the window is empty */
            resets_at: string | null;
        };
        /**
         * RaisedLimits
         * @description Limits of another tier.
         */
        RaisedLimits: {
            /** @description The limit of each payment, in USDC. Null means no limit */
            payment: components["schemas"]["UsdcAmount"] | null;
            /** @description The limit of the last 24 hours, in USDC. Null means no limit */
            day: components["schemas"]["UsdcAmount"] | null;
            /** @description The limit of the last 30 days, in USDC. Null means no limit */
            month: components["schemas"]["UsdcAmount"] | null;
            /** @description The number of payments in the last 24 hours. Null means no limit */
            count: components["schemas"]["UsdcAmount"] | null;
        };
        /**
         * Me
         * @description Your own account
         */
        Me: {
            user: components["schemas"]["User"];
            wallet: components["schemas"]["Wallet"];
            /** @description Whether strangers can find your username: on your payment page, and by the address of your wallet */
            discoverable: boolean;
            /** @description Your addresses on blockchains where your address differs from `wallet.address`, such as Solana and Aptos; ordered by blockchain. Empty if there are none. On every other blockchain of this service, `wallet.address` is your address */
            other_addresses: components["schemas"]["OtherAddress"][];
            kyc: components["schemas"]["KycStatus"];
            limits: components["schemas"]["Limits"];
            /** @description Pauses that currently affect everyone; normally empty. `limits.paused` says whether your own payments are paused */
            pauses: components["schemas"]["GeneralPause"][];
        };
        /**
         * OtherAddress
         * @description Your address on one blockchain. Only USDC sent to it on that blockchain arrives.
         */
        OtherAddress: {
            /** @description The only blockchain on which this address is valid */
            blockchain: string;
            /** @description The address in the format of its blockchain: on Solana 32 bytes in base58, which is case-sensitive; on Aptos `0x` and 64 hexadecimal digits; on other blockchains `0x` and 40 */
            address: string;
        };
        /**
         * GeneralPause
         * @description A pause that affects everyone. Balances do not change. Payments accepted before the pause continue or wait.
         */
        GeneralPause: {
            /**
             * @description The payments that are refused: all, those between people, or those to addresses
             * @enum {string}
             */
            payments: "all" | "people" | "addresses";
            /** @description The only blockchain that is paused; null if the pause concerns all */
            blockchain: string | null;
            /** @description The reason, in words for people */
            reason: string;
            /**
             * Format: date-time
             * @description The time when the pause began
             */
            since: string;
        };
        /**
         * OwnOverview
         * @description Your money and rates, for a first display
         */
        OwnOverview: {
            /** @description The address of your wallet; null while it is being created */
            address: string | null;
            /** @description The prices of one USDC */
            rates: components["schemas"]["Rate"][];
            /** @description Your balances, one per blockchain */
            balances: components["schemas"]["Balance"][];
        };
        /**
         * Rate
         * @description A rate
         */
        Rate: {
            /** @description The two currencies */
            pair: string;
            /** @description The price of one unit of the first currency, in the second */
            price: string;
            /**
             * Format: date-time
             * @description The time of the price
             */
            as_of: string;
            /** @description Whether the value is older than it should be */
            stale: boolean;
            /** @description The source of the price */
            source: string;
        };
        /**
         * Balance
         * @description A balance on one blockchain
         */
        Balance: {
            /** @description The blockchain */
            blockchain: string;
            /** @description The token */
            token: string;
            /** @description The amount that can be spent now */
            available: string;
            /** @description The amount reserved for payments in progress */
            held: string;
            /** @description Incoming payments that are not final yet */
            pending_in: string;
            /** @description The balance of the address on the blockchain; null while it is unknown */
            onchain: string | null;
            /** @description The block at which `onchain` was read; null while it is unknown */
            block_number: number | null;
            /** @description The time of the balance; null while it is unknown */
            as_of: string | null;
            /** @description Whether the value is older than it should be */
            stale: boolean;
        };
        /**
         * Recipient
         * @description A person or an address that you have paid
         */
        Recipient: {
            to: components["schemas"]["Party"];
            /** @description The blockchain of the newest payment */
            blockchain: string;
            /** @description The number of payments that you have made */
            payments: number;
            /**
             * Format: date-time
             * @description The time of your last payment to them
             */
            last_paid_at: string;
        };
        /**
         * RecipientList
         * @description A page of people and addresses that you have paid
         */
        RecipientList: {
            /** @description Newest first */
            recipients: components["schemas"]["Recipient"][];
            /** @description The cursor of the next page; null on the last page */
            next_cursor: string | null;
        };
        /**
         * UsernameCheck
         * @description Whether a name is free
         */
        UsernameCheck: {
            /** @description In lower case */
            username: string;
            /**
             * @description `own`: your current name, or a former one that still redirects to you
             * @enum {string}
             */
            state: "free" | "taken" | "own";
        };
        /**
         * Settings
         * @description Your settings
         */
        Settings: {
            /** @description Whether strangers can find your username: on your payment page, and by the address of your wallet */
            discoverable: boolean;
        };
        /**
         * SettingsChange
         * @description A change of your settings
         */
        SettingsChange: {
            /** @description Whether strangers can find your username: on your payment page, and by the address of your wallet */
            discoverable: boolean;
        };
        /**
         * KeyedPayment
         * @description What became of an Idempotency-Key
         */
        KeyedPayment: {
            /**
             * @description `none`: nothing is known, so the call would pay now
             * @enum {string}
             */
            outcome: "none" | "accepted" | "refused";
            /** @description The payment, if the outcome is `accepted` */
            transaction_id: string | null;
        };
        /**
         * AddressOwner
         * @description Whose address it is
         */
        AddressOwner: {
            /** @description As you sent it */
            address: string;
            /** @description Whether the address belongs to a customer of this service */
            customer: boolean;
            /** @description The current username of the customer; null if they have not made it discoverable */
            username: string | null;
        };
        /**
         * PublicName
         * @description A username that its owner has made public
         */
        PublicName: {
            /** @description In lower case */
            username: string;
        };
        /**
         * PublicRequest
         * @description A request for money, as anyone with its link sees it
         */
        PublicRequest: {
            /**
             * Format: uuid
             * @description Also the `transaction_id` of its payment. For a request by link, the id is the permission to pay
             */
            request_id: string;
            /**
             * @description Every state except `open` is final
             * @enum {string}
             */
            state: "open" | "paid" | "declined" | "cancelled" | "expired";
            /** @description The current username of the person who asks */
            asker_username: string | null;
            /** @description USDC, decimal */
            amount: string;
            /** @description The purpose. Null also if it was removed */
            note: string | null;
            /**
             * Format: date-time
             * @description The time until which the request can be paid
             */
            expires_at: string;
        };
        /**
         * PreviewRequest
         * @description A planned payment to a username or to an address
         */
        PreviewRequest: {
            /**
             * Receiver Username
             * @description The person to pay; either this or an address
             */
            receiver_username?: string | null;
            /**
             * Destination Address
             * @description The address to pay; either this or a username
             */
            destination_address?: string | null;
            /**
             * Amount
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            amount: string;
            /**
             * Blockchain
             * @description The blockchain of the address; the home blockchain by default
             */
            blockchain?: string | null;
        };
        /**
         * Preview
         * @description The effect of the payment
         */
        Preview: {
            /**
             * @description To a person, or to an address
             * @enum {string}
             */
            kind: "user" | "chain";
            /** @description USDC, decimal */
            amount: string;
            /** @description The blockchain of the payment */
            blockchain: string;
            to: components["schemas"]["Party"];
            /** @description Whether you have never paid this recipient */
            first_time: boolean;
            /** @description The fee added to the amount, in USDC. The service pays the network fee */
            fee: string;
            /** @description Your balance after the payment */
            available_after: string;
            /** @description Your limits after the payment */
            limits_after: components["schemas"]["Limit"][];
            /** @description The number of operators who must approve the payment before it is sent */
            approvals_needed: number;
            /** @description The time until which the payment would wait, because you have never paid this address; null if it would not wait */
            not_before: string | null;
        };
        /**
         * SendToAddressRequest
         * @description A payment to an address, from your own wallet
         */
        SendToAddressRequest: {
            /**
             * Destination Address
             * @description Destination wallet address
             */
            destination_address: string;
            /**
             * Amount
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            amount: string;
            /**
             * Blockchain
             * @description The blockchain of the address; the home blockchain by default
             */
            blockchain?: string | null;
            /**
             * Payment Note
             * @description What the payment is for. Only you see it: it does not go to the blockchain, and the destination does not get it. At most 140 characters of plain text in one line, with no control characters and none that change the direction of the text
             */
            payment_note?: string | null;
        };
        /**
         * NewPayout
         * @description Payments to make. Every value is a string.
         */
        NewPayout: {
            /** @description The rows, in the order in which they are paid */
            rows: components["schemas"]["NewPayoutRow"][];
        };
        /**
         * NewPayoutRow
         * @description One payment.
         */
        NewPayoutRow: {
            /** @description Your own name for this payment: at most 100 printable ASCII characters, beginning with a letter or digit. It must be unique within the file */
            reference: string;
            /** @description A username, or an address */
            to: string;
            /** @description The amount of USDC */
            amount: components["schemas"]["UsdcAmount"];
            /** @description The blockchain of an address; the home blockchain by default */
            blockchain?: string;
            /** @description What the payment is for, at most 140 characters. The receiver sees it as `payment_note`; it is returned with the rows */
            note?: string;
        };
        /**
         * ConfirmPayout
         * @description The count and the total that you confirm.
         */
        ConfirmPayout: {
            /** @description The `count` of the payout */
            count: number;
            /** @description The `total` of the payout */
            total: string;
        };
        /**
         * RowSum
         * @description A number of rows and their total.
         */
        RowSum: {
            /** @description The maximum number of entries */
            count: number;
            /** @description The amount of USDC */
            total: components["schemas"]["UsdcAmount"];
        };
        /**
         * PayoutFault
         * @description A reason why rows cannot be paid.
         */
        PayoutFault: {
            /** @description For programs: an error code, or a code that only rows have */
            code: string;
            /** @description An explanation for people */
            detail: string;
        };
        /**
         * PayoutTotal
         * @description Rows of one kind.
         */
        PayoutTotal: {
            /** @description The blockchain */
            blockchain: string;
            /**
             * @description The kind of recipient
             * @enum {string}
             */
            to: "people" | "addresses";
            /** @description The maximum number of entries */
            count: number;
            /** @description The amount of USDC */
            total: components["schemas"]["UsdcAmount"];
        };
        /**
         * Payout
         * @description A payout: a file of payments and its progress.
         */
        Payout: {
            /**
             * Format: uuid
             * @description The id
             */
            payout_id: string;
            /**
             * @description `checked`: can be confirmed; `approving`: two operators have to approve it; `running`; `waiting`: rows wait for the reason in `waiting_for`; `stopping`: cancelled, and payments to addresses are still in progress; `complete`: every row has ended; `cancelled`
             * @enum {string}
             */
            state: "checked" | "approving" | "running" | "waiting" | "stopping" | "complete" | "cancelled";
            /** @description The payer: `treasury`, or a username; null if the person has no username */
            payer: string | null;
            /** @description The number of rows to pay: all except those in `paid_before` */
            count: number;
            /** @description The total amount of these rows */
            total: components["schemas"]["UsdcAmount"];
            /** @description Fees added to the total: none, because the service pays the network fees */
            fees: components["schemas"]["UsdcAmount"];
            /** @description Rows whose payments were already made with the same references. They are not paid again */
            paid_before: components["schemas"]["RowSum"];
            /** @description All rows, by blockchain, to people and to addresses */
            totals: components["schemas"]["PayoutTotal"][];
            /** @description All rows, by their state */
            rows: {
                /** @description Not started */
                ready: components["schemas"]["RowSum"];
                /** @description To an address, in progress */
                sent: components["schemas"]["RowSum"];
                /** @description Paid; final */
                paid: components["schemas"]["RowSum"];
                /** @description Not paid, and not retried by this payout */
                failed: components["schemas"]["RowSum"];
                /** @description Cancelled before they started */
                cancelled: components["schemas"]["RowSum"];
            };
            /**
             * @description The value from the request
             * @enum {string}
             */
            on_shortage: "wait" | "fail";
            /** @description The same rule in words */
            rule: string;
            /** @description The reason why rows wait */
            waiting_for: components["schemas"]["PayoutFault"] | null;
            /** @description The time until which rows wait before they fail: three days from the confirmation, or from the last approval if approvals are needed; null before */
            waits_until: string | null;
            /**
             * PayoutApprovals
             * @description Approvals by operators.
             */
            approvals: {
                /** @description The number of approvals needed */
                needed: number;
                /** @description The number of approvals given */
                given: number;
            };
            /**
             * PayoutFile
             * @description The file as received; it is stored.
             */
            file: {
                /** @description The content type of the request */
                content_type: string;
                /** @description The size in bytes */
                bytes: number;
                /** @description The SHA-256 hash of the bytes, hexadecimal */
                sha256: string;
            };
            /** @description In the response to the check: reasons why rows could not be paid now, and rows that look like mistakes. Empty in other responses */
            warnings: components["schemas"]["PayoutFault"][];
            /**
             * Format: date-time
             * @description The time of the check
             */
            created_at: string;
            /** @description The time of the confirmation */
            confirmed_at: string | null;
            /** @description The time when the last row ended */
            ended_at: string | null;
        };
        /**
         * PayoutItem
         * @description A row of the file, and its result.
         */
        PayoutItem: {
            /** @description The number of the row in the file; 1 is the first row after the header */
            row: number;
            /** @description As in the file */
            reference: string;
            /** @description As in the file: a username in lower case, or an address with its checksum */
            to: string;
            /** @description As in the file */
            amount: components["schemas"]["UsdcAmount"];
            /** @description The blockchain */
            blockchain: string;
            /** @description As in the file */
            note: string | null;
            /**
             * @description The state of the row; see `rows` of the payout
             * @enum {string}
             */
            state: "ready" | "sent" | "paid" | "failed" | "cancelled";
            /** @description The payment; null while there is none */
            transaction_id: string | null;
            /** @description The state of the payment */
            transaction_state: components["schemas"]["TransactionState"] | null;
            /** @description The hash of the chain transaction of a payment to an address */
            hash: string | null;
            /** @description The reason for the failure */
            error: components["schemas"]["PayoutFault"] | null;
        };
        /**
         * PayoutPage
         * @description A page of payouts.
         */
        PayoutPage: {
            /** @description Newest first */
            payouts: components["schemas"]["Payout"][];
            /** @description The cursor of the next page; null on the last page */
            next_before: string | null;
        };
        /**
         * PayoutItemPage
         * @description A page of rows.
         */
        PayoutItemPage: {
            /** @description In the order of the file */
            items: components["schemas"]["PayoutItem"][];
            /** @description The cursor of the next page; null on the last page */
            next_after: number | null;
        };
        /**
         * NewWebhook
         * @description A new webhook
         */
        NewWebhook: {
            /** @description `https`, with a public host, on port 443 or 8443 */
            url: string;
            /** @description `*` for all, `payment.*` for a group, or single types such as `deposit.complete` */
            types: string[];
            /** @description Your own description */
            description?: string | null;
            /** @description `any`: each event as soon as possible, several at the same time. `in_order`: one at a time, in the order of the feed; the next event waits until the previous one is accepted */
            order?: ("any" | "in_order") | null;
        };
        /**
         * WebhookChange
         * @description The members to change; the others do not change
         */
        WebhookChange: {
            /** @description `https`, with a public host, on port 443 or 8443 */
            url?: string | null;
            /** @description `*` for all, `payment.*` for a group, or single types such as `deposit.complete` */
            types?: string[] | null;
            /** @description Your own description */
            description?: string | null;
            /** @description `any`: each event as soon as possible, several at the same time. `in_order`: one at a time, in the order of the feed; the next event waits until the previous one is accepted */
            order?: ("any" | "in_order") | null;
            /** @description While a webhook is off, nothing is sent. When it is switched on again, the events that happened meanwhile are sent */
            state?: ("on" | "off") | null;
        };
        /**
         * RotateWebhookSecret
         * @description The time for which the former secret still signs
         */
        RotateWebhookSecret: {
            /** @description At most 30 days from now; a time in the past ends the former secret immediately; one day by default */
            former_ends_at?: string | null;
        };
        /**
         * ReplayWebhookEvents
         * @description A time span
         */
        ReplayWebhookEvents: {
            /**
             * Format: date-time
             * @description The start of the time span, inclusive
             */
            since: string;
            /**
             * Format: date-time
             * @description The end of the time span, exclusive
             */
            until: string;
            /** @description The `next_cursor` of the previous call */
            cursor?: string | null;
        };
        /**
         * Webhook
         * @description An endpoint that receives events
         */
        Webhook: {
            /**
             * Format: uuid
             * @description The id
             */
            webhook_id: string;
            /** @description The URL that receives the events */
            url: string;
            /** @description The types of events: `*`, groups such as `payment.*`, or single types */
            types: string[];
            /** @description Your own description */
            description: string;
            /**
             * @description `any`: each event as soon as possible, several at the same time. `in_order`: one at a time, in the order of the feed; the next event waits until the previous one is accepted
             * @enum {string}
             */
            order: "any" | "in_order";
            /**
             * @description `failed`: switched off, because no delivery succeeded for three days or the receiver responded with 410; `failure` gives the reason. Switch it on again with PATCH. A webhook of an account is `failed` too when its key has ended: change it with another key of the account
             * @enum {string}
             */
            state: "on" | "off" | "failed";
            /** @description The reason why the webhook was switched off */
            failure: string | null;
            /**
             * Format: date-time
             * @description The time since which no attempt has succeeded
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description The time when the webhook was added
             */
            created_at: string;
        };
        /**
         * WebhookCreated
         * @description A new webhook, with its secret
         */
        WebhookCreated: {
            /**
             * Format: uuid
             * @description The id
             */
            webhook_id: string;
            /** @description The URL that receives the events */
            url: string;
            /** @description The types of events: `*`, groups such as `payment.*`, or single types */
            types: string[];
            /** @description Your own description */
            description: string;
            /**
             * @description `any`: each event as soon as possible, several at the same time. `in_order`: one at a time, in the order of the feed; the next event waits until the previous one is accepted
             * @enum {string}
             */
            order: "any" | "in_order";
            /**
             * @description `failed`: switched off, because no delivery succeeded for three days or the receiver responded with 410; `failure` gives the reason. Switch it on again with PATCH
             * @enum {string}
             */
            state: "on" | "off" | "failed";
            /** @description The reason why the webhook was switched off */
            failure: string | null;
            /**
             * Format: date-time
             * @description The time since which no attempt has succeeded
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description The time when the webhook was added
             */
            created_at: string;
            /** @description The secret that verifies signatures. Store it where only the receiver can read it. It is never shown again */
            secret: string;
        };
        /**
         * WebhookList
         * @description All webhooks
         */
        WebhookList: {
            /** @description Oldest first */
            webhooks: components["schemas"]["Webhook"][];
        };
        /**
         * WebhookRemoved
         * @description A webhook that was removed
         */
        WebhookRemoved: {
            /**
             * Format: uuid
             * @description The id
             */
            webhook_id: string;
            /**
             * @description The webhook was removed
             * @constant
             */
            removed: true;
        };
        /**
         * WebhookSecret
         * @description A new secret
         */
        WebhookSecret: {
            /**
             * Format: uuid
             * @description The id
             */
            webhook_id: string;
            /** @description The secret that signs from now on. It is never shown again */
            secret: string;
            /**
             * Format: date-time
             * @description The time until which the former secret signs too
             */
            former_ends_at: string;
        };
        /**
         * WebhookDelivery
         * @description The delivery of one event to one webhook
         */
        WebhookDelivery: {
            /** @description The same id as in `webhook-id`, in every attempt */
            event_id: string;
            /** @description The type of the event */
            type: string;
            /**
             * Format: date-time
             * @description The time of the event
             */
            happened_at: string;
            /**
             * @description `delivered`: the receiver responded with 2xx. `failed`: given up after eleven attempts over 99.6 hours, each delay up to a fifth longer
             * @enum {string}
             */
            state: "waiting" | "delivered" | "failed";
            /** @description The number of attempts; it starts again from zero when the event is sent again */
            attempts: number;
            /**
             * Format: date-time
             * @description The time when the next attempt is due. During an attempt, the time when it would be repeated
             */
            next_attempt_at: string | null;
            /** @description The last response of the receiver */
            last_attempt: {
                /**
                 * Format: date-time
                 * @description The time when the attempt ended
                 */
                at: string;
                /** @description The duration in milliseconds */
                took_ms: number;
                /** @description The status of the response; null if there was none */
                status: number | null;
                /** @description The first 1,000 characters of the response body */
                answer: string | null;
                /** @description The reason why there was no response */
                fault: string | null;
            } | null;
            /** @description The attempts before the last one, newest first: at most 30, also those from before the event was sent again. An attempt that a killed worker could not record is missing */
            earlier_attempts: {
                /**
                 * Format: date-time
                 * @description The time when the attempt ended
                 */
                at: string;
                /** @description The duration in milliseconds */
                took_ms: number;
                /** @description The status of the response; null if there was none */
                status: number | null;
                /** @description The first 200 characters of the response body */
                answer: string | null;
                /** @description The reason why there was no response, at most 200 characters */
                fault: string | null;
            }[];
        };
        /**
         * WebhookDeliveryPage
         * @description A page of deliveries
         */
        WebhookDeliveryPage: {
            /** @description Newest event first */
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description The cursor of the next page; null on the last page */
            next_cursor: string | null;
        };
        /**
         * WebhookReplay
         * @description The result of a replay
         */
        WebhookReplay: {
            /** @description The number of events that are due now */
            events: number;
            /** @description Present if there is more: send it with the next call */
            next_cursor: string | null;
        };
        /**
         * PaymentMessage
         * @description A payment has reached a state
         */
        PaymentMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "payment.initiated" | "payment.cleared" | "payment.queued" | "payment.sent" | "payment.stuck" | "payment.confirmed" | "payment.complete" | "payment.failed" | "payment.denied" | "payment.cancelled";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the payment; read it with `GET /circle/transaction/{transaction_id}` of the Web3 API
                 */
                transaction_id: string;
                /** @description The people concerned: the payer and the receiver, or the person who asks and the person who is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * DepositMessage
         * @description Coins have arrived for a person and were credited
         */
        DepositMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "deposit.complete";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the deposit
                 */
                transaction_id: string;
                /** @description The people concerned: the payer and the receiver, or the person who asks and the person who is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * RefundMessage
         * @description A payment was refunded, in full or in part
         */
        RefundMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "refund.complete";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the refund, which is a separate payment
                 */
                transaction_id: string;
                /** @description The people concerned: the payer and the receiver, or the person who asks and the person who is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * CorrectionMessage
         * @description The service corrected a balance
         */
        CorrectionMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "correction.complete";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the correction
                 */
                transaction_id: string;
                /** @description The people concerned: the payer and the receiver, or the person who asks and the person who is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * DebtMessage
         * @description A blockchain made a payment that the balance did not cover. The service covered the difference, or collected it later
         */
        DebtMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "debt.complete";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the payment that covered or collected the debt
                 */
                transaction_id: string;
                /** @description The people concerned: the payer and the receiver, or the person who asks and the person who is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * RequestMessage
         * @description A request for money has reached a state
         */
        RequestMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "request.open" | "request.paid" | "request.declined" | "request.cancelled" | "request.expired";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the request and of its payment
                 */
                request_id: string;
                /** @description The people concerned: the payer and the receiver, or the person who asks and the person who is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * KycMessage
         * @description An identity check has reached a status
         */
        KycMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "kyc.none" | "kyc.started" | "kyc.pending" | "kyc.needs_input" | "kyc.approved" | "kyc.rejected" | "kyc.revoked";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the person
                 */
                user_id: string;
                /** @description The people concerned: the payer and the receiver, or the person who asks and the person who is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * PayoutMessage
         * @description A payout has reached a state
         */
        PayoutMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "payout.checked" | "payout.approving" | "payout.running" | "payout.waiting" | "payout.stopping" | "payout.complete" | "payout.cancelled";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the payout
                 */
                payout_id: string;
                /** @description The owner of the account key that made the payout; empty for a payout of a service */
                user_ids: string[];
            };
        };
        /**
         * TestMessage
         * @description A test event that you requested
         */
        TestMessage: {
            /**
             * @description Always this value
             * @constant
             */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description The time of the request
             */
            timestamp: string;
            /** @description A sentence for people */
            data: {
                /** @description An explanation for people */
                message: string;
            };
        };
        /**
         * HTTPValidationError
         * @description The request does not match this document.
         */
        HTTPValidationError: {
            /**
             * Detail
             * @description All errors in the request
             */
            detail?: components["schemas"]["ValidationError"][];
        };
        /**
         * ValidationError
         * @description One error in a request.
         */
        ValidationError: {
            /**
             * Location
             * @description The location: `body`, `path` or `query`, then the names
             */
            loc: string[];
            /**
             * Message
             * @description An explanation for people
             */
            msg: string;
            /**
             * Error Type
             * @description A code for programs
             */
            type: string;
        };
        /**
         * Detail
         * @description A response from the router: the path, the method or the body is not usable.
         */
        Detail: {
            /** @description A short description of the error */
            detail: string;
        };
        /**
         * Problem
         * @description An RFC 9457 problem document. The page at `type` lists the additional members of the code.
         */
        Problem: {
            /**
             * Format: uri-reference
             * @description The page that describes the code; both APIs serve it
             */
            type: string;
            /** @description A short title, the same for every problem with this code */
            title: string;
            /** @description The status of the response */
            status: number;
            /** @description An explanation for people */
            detail: string;
            /** @description A code for programs */
            code: components["schemas"]["ErrorCode"];
            /** @description Whether the same request can succeed later */
            retryable: boolean;
            /** @description The same id as in `X-Request-Id`; quote it when you ask for support */
            request_id: string;
            /** @description The amount that can be spent now */
            available?: components["schemas"]["UsdcBalance"];
            /**
             * Format: date-time
             * @description The time from which the action is possible
             */
            available_at?: string;
            /** @description The requested blockchain */
            blockchain?: string;
            /** @description The number of rows that the payout pays */
            count?: string;
            /** @description The number of decimals that an amount can have */
            decimals?: number;
            /** @description The dependency that does not respond */
            dependency?: string;
            /** @description The number of errors found */
            error_count?: number;
            /** @description The errors in a file, by row and column; at most the first 1,000 */
            errors?: {
                /** @description Row 1 is the first row after the header; 0 is the file itself */
                row: number;
                /** @description The column; null if the error concerns the whole row */
                column: string | null;
                /** @description A code for programs */
                code: string;
                /** @description An explanation for people */
                detail: string;
            }[];
            /** @description The unknown event type */
            event_type?: string;
            /** @description The amount held for open payments */
            held?: components["schemas"]["UsdcBalance"];
            /** @description The status of the person's identity check */
            kyc_status?: string;
            /** @description The largest possible amount of one payment */
            largest?: components["schemas"]["UsdcAmount"];
            /** @description The amount left within the limit */
            left?: string;
            /** @description The name of the limit, or the number of calls it allows */
            limit?: string | number;
            /** @description The largest possible size of a body */
            limit_bytes?: number;
            /** @description The value of the limit */
            maximum?: string;
            /** @description The nearest amount that can be paid, as digits to send */
            nearest?: string;
            /** @description The number of payments that have not ended */
            open_payments?: number;
            /** @description The number of requests for money that have not ended */
            open_requests?: number;
            /** @description The number of payouts that can still pay from the account */
            open_payouts?: number;
            /** @description The amount that the person owes */
            owed?: components["schemas"]["UsdcBalance"];
            /** @description The blocked party */
            party?: string;
            /** @description The name of the rate limit */
            policy?: string;
            /**
             * @description The action that would raise the limit
             * @enum {string}
             */
            raised_by?: "kyc" | "operator";
            /** @description The check that failed, or the reason */
            reason?: string;
            /**
             * Format: date-time
             * @description The time when the oldest payment leaves the window
             */
            resets_at?: string | null;
            /** @description The cursor to continue from */
            resume_after?: string;
            /** @description The same value as in `Retry-After` */
            retry_after_seconds?: number;
            /** @description The missing scope */
            scope?: string;
            /** @description The state of the payment */
            state?: string;
            /** @description The total amount of the payout */
            total?: string;
            /** @description The unit of the limit */
            unit?: string;
            /** @description The part of the request that the rules of the key do not allow */
            what?: string;
            /** @description The length of the window in which calls are counted */
            window_seconds?: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * TransactionState
         * @description The state of a payment. It never goes back, and can skip states. The last four are final.
         *
         *     - `INITIATED`: accepted; the amount is held
         *     - `CLEARED`: approved by two operators
         *     - `QUEUED`: the coins are reserved; waiting to be sent
         *     - `SENT`: broadcast; waiting for a block
         *     - `STUCK`: not included in a block for a long time; the fee is raised up to a limit
         *     - `CONFIRMED`: in a block; waiting until it is final
         *     - `COMPLETE`: final
         *     - `FAILED`: it can never be paid; the amount was returned
         *     - `DENIED`: refused before anything was signed; the amount was returned
         *     - `CANCELLED`: cancelled; the amount was returned
         * @enum {string}
         */
        TransactionState: "INITIATED" | "CLEARED" | "QUEUED" | "SENT" | "STUCK" | "CONFIRMED" | "COMPLETE" | "FAILED" | "DENIED" | "CANCELLED";
        /**
         * TransactionKind
         * @description The kind of a payment.
         *
         *     - `user`: between two people; complete immediately
         *     - `chain`: to an address on a blockchain
         *     - `deposit`: received from a blockchain
         *     - `correction`: the service corrected a balance; the timeline gives the reason
         *     - `debt`: a blockchain paid more than a balance had. To the person: the amount that the service covered. From the person: the amount that the service collected later
         * @enum {string}
         */
        TransactionKind: "user" | "chain" | "deposit" | "correction" | "debt";
        /**
         * UsdcAmount
         * @description USDC as an exact decimal string: at most six decimals, no sign, no exponent. Store it as text or as a decimal number; a float would round it.
         */
        UsdcAmount: string;
        /**
         * UsdcBalance
         * @description USDC as an exact decimal string, at most six decimals. Negative only when a blockchain has paid more than the balance covered.
         */
        UsdcBalance: string;
        /**
         * UserParty
         * @description A person, or the service itself.
         */
        UserParty: {
            /** @description The current username; null if the person has none, and for the service */
            username: string | null;
            /** @description The former name in the request, if the person has changed it since */
            redirected_from?: string;
            /** @description True if it is not a person but the service itself, which has no username. Otherwise absent */
            service?: boolean;
        };
        /**
         * AddressParty
         * @description An address on a blockchain: `0x` and 40 hexadecimal digits; on Aptos `0x` and 64; on Solana base58.
         */
        AddressParty: {
            /** @description Null if the blockchain gives no address, and for the service's side of a correction or a debt */
            address: string | null;
        };
        /**
         * WalletParty
         * @description A wallet of the service.
         */
        WalletParty: {
            /** @description The id of the wallet at the wallet provider */
            wallet_id: string;
        };
        /**
         * KycState
         * @description The status of an identity check.
         *
         *     - `none`: no check was started
         *     - `started`: the person has started
         *     - `pending`: the provider is deciding
         *     - `needs_input`: the provider asks the person for more information
         *     - `approved`: the provider completed the check with a positive result
         *     - `rejected`: the check failed
         *     - `revoked`: an approval was withdrawn
         * @enum {string}
         */
        KycState: "none" | "started" | "pending" | "needs_input" | "approved" | "rejected" | "revoked";
        /**
         * ListedTransaction
         * @description A payment in a person's history.
         */
        ListedTransaction: components["schemas"]["Transaction"] & {
            /** @description The balance of the history's owner after the payment */
            available_after: components["schemas"]["UsdcBalance"];
        };
        /**
         * ErrorCode
         * @description The meaning of a code never changes, and no code is removed. New codes can be added: handle a code that you do not know by its status.
         * @enum {string}
         */
        ErrorCode: "account.closed" | "account.not_empty" | "address.blocked" | "address.invalid" | "address.lookalike" | "amount.precision" | "amount.too_large" | "auth.forbidden" | "auth.invalid" | "auth.old_login" | "auth.required" | "auth.scope" | "balance.insufficient" | "blockchain.unsupported" | "cursor.expired" | "cursor.invalid" | "cursor.lost" | "event.too_many_streams" | "event.unknown_type" | "idempotency.in_progress" | "idempotency.invalid" | "idempotency.mismatch" | "idempotency.required" | "internal.error" | "key.invalid" | "key.limit_exceeded" | "key.not_allowed" | "key.person_only" | "key.too_many" | "key.unknown" | "kyc.final" | "kyc.required" | "limit.exceeded" | "money_request.ended" | "money_request.expiry" | "money_request.too_many" | "money_request.unknown" | "passkey.challenge_unknown" | "passkey.invalid" | "passkey.none" | "passkey.refused" | "passkey.required" | "passkey.too_many" | "passkey.unavailable" | "passkey.unknown" | "payment.ended" | "payment.self" | "payout.ended" | "payout.invalid" | "payout.mismatch" | "payout.unknown" | "rate.limited" | "recipient.unspecified" | "request.headers_too_large" | "request.host" | "request.malformed" | "request.origin" | "request.timeout" | "request.too_large" | "service.overloaded" | "service.paused" | "service.unavailable" | "session.unknown" | "transaction.unknown" | "user.paused" | "user.unknown" | "username.cooldown" | "username.invalid" | "username.needed" | "username.taken" | "username.unknown" | "wallet.pending" | "wallet.unknown" | "wallet.unspecified" | "webhook.event_unknown" | "webhook.span" | "webhook.too_many" | "webhook.unknown" | "webhook.url";
        /**
         * BadRequest
         * @description A problem document, or a response from the router.
         */
        BadRequest: components["schemas"]["Problem"] | components["schemas"]["Detail"];
        /**
         * InvalidRequest
         * @description Validation errors, or a problem document.
         */
        InvalidRequest: components["schemas"]["HTTPValidationError"] | components["schemas"]["Problem"];
        /**
         * NewAccountKey
         * @description A new key of the account
         */
        NewAccountKey: {
            /**
             * Name
             * @description Your own name for the key
             */
            name: string;
            /**
             * Scopes
             * @description `read`: the account, its payments, requests and events. `request`: ask for money, cancel and decline requests. `pay`: pay people, addresses and requests, within the limits of the key. `payouts`: pay many people from one file, within the same limits. `webhooks`: receive the events of this account. No scope includes another
             */
            scopes: ("read" | "request" | "pay" | "payouts" | "webhooks")[];
            /**
             * Payment Limit
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            payment_limit?: string;
            /**
             * Day Limit
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            day_limit?: string;
            /**
             * Month Limit
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            month_limit?: string;
            /**
             * Addresses
             * @description The only IP addresses and networks from which the key works, such as `203.0.113.7` or `2001:db8::/48`; IPv6 networks of at most 64 bits. Any address if absent
             */
            addresses?: string[] | null;
            /**
             * Expires At
             * @description The time until which the key works; without end if absent
             */
            expires_at?: string | null;
        };
        /**
         * AccountKey
         * @description A key of the account
         */
        AccountKey: {
            /**
             * Format: uuid
             * @description The id
             */
            key_id: string;
            /**
             * Format: uuid
             * @description The person whose account it acts for
             */
            user_id: string;
            /** @description Your own name for the key */
            name: string;
            /** @description What the key may do */
            scopes: ("read" | "request" | "pay" | "payouts" | "webhooks")[];
            /**
             * @description `revoked` also if the account logged out everywhere, was closed, or the service was restored from a backup
             * @enum {string}
             */
            state: "active" | "expired" | "revoked";
            /** @description What the key may spend */
            limits: {
                /** @description In one payment */
                payment: components["schemas"]["UsdcAmount"] | null;
                /** @description In 24 hours */
                day: components["schemas"]["UsdcAmount"] | null;
                /** @description In 30 days; null: no limit */
                month: components["schemas"]["UsdcAmount"] | null;
            };
            /** @description The only networks from which the key works; null: any address */
            addresses: string[] | null;
            /**
             * Format: date-time
             * @description The time until which the key works; null: without end
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description The time when it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The last call with it, to the minute; null: none
             */
            last_used_at: string | null;
        };
        /**
         * AccountKeyCreated
         * @description The key, which only this answer contains
         */
        AccountKeyCreated: {
            /**
             * Format: uuid
             * @description The id
             */
            key_id: string;
            /**
             * Format: uuid
             * @description The person whose account it acts for
             */
            user_id: string;
            /** @description Your own name for the key */
            name: string;
            /** @description What the key may do */
            scopes: ("read" | "request" | "pay" | "payouts" | "webhooks")[];
            /**
             * @description `revoked` also if the account logged out everywhere, was closed, or the service was restored from a backup
             * @enum {string}
             */
            state: "active" | "expired" | "revoked";
            /** @description What the key may spend */
            limits: {
                /** @description In one payment */
                payment: components["schemas"]["UsdcAmount"] | null;
                /** @description In 24 hours */
                day: components["schemas"]["UsdcAmount"] | null;
                /** @description In 30 days; null: no limit */
                month: components["schemas"]["UsdcAmount"] | null;
            };
            /** @description The only networks from which the key works; null: any address */
            addresses: string[] | null;
            /**
             * Format: date-time
             * @description The time until which the key works; null: without end
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description The time when it was created
             */
            created_at: string;
            /**
             * Format: date-time
             * @description The last call with it, to the minute; null: none
             */
            last_used_at: string | null;
            /** @description The key itself. It is shown only this once: store it where secrets are stored */
            key: string;
        };
        /**
         * AccountKeyList
         * @description The keys of the account
         */
        AccountKeyList: {
            /** @description Newest first, without revoked ones */
            keys: components["schemas"]["AccountKey"][];
        };
        /**
         * AccountKeyRevoked
         * @description The key has ended
         */
        AccountKeyRevoked: {
            /** @description Always true; a refusal is a problem document */
            success: boolean;
            /**
             * Format: uuid
             * @description The key that ended
             */
            key_id: string;
        };
        /**
         * SessionsEnded
         * @description Every session and key of the account has ended
         */
        SessionsEnded: {
            /** @description Always true; a refusal is a problem document */
            success: boolean;
            /** @description How many sessions were open */
            sessions: number;
        };
        /**
         * KeyMessage
         * @description A key of an account was created or revoked
         */
        KeyMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "key.created" | "key.revoked";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The id of the key
                 */
                key_id: string;
                /** @description The person whose key it is */
                user_ids: string[];
            };
        };
        /**
         * Passkeys
         * @description The passkeys of a person, and when payments need one
         */
        Passkeys: {
            /**
             * Format: uuid
             * @description The person
             */
            user_id: string;
            /** @description Each payment above this amount needs a passkey; "0": every payment; null: none */
            ask_above: components["schemas"]["UsdcBalance"] | null;
            /** @description Oldest first */
            passkeys: {
                /**
                 * Format: uuid
                 * @description The id
                 */
                passkey_id: string;
                /** @description The person's own name for it */
                name: string;
                /** @description It is copied to the person's other devices */
                backed_up: boolean;
                /**
                 * Format: date-time
                 * @description The time when it was added
                 */
                created_at: string;
                /** @description The last signature; null: none */
                last_used_at: string | null;
            }[];
            /** @description An operator is removing all passkeys, because they are lost: possible from this time on. Null: nobody is */
            removal_due_at: string | null;
        };
        /**
         * PasskeyDeed
         * @description What the person confirms
         */
        PasskeyDeed: {
            /**
             * Deed
             * @description `payment`: with `payment_id`, `amount`, and either `receiver_username` or `destination_address` and `blockchain`, all as in the call that pays. `payout`: with `payout_id`, and its total as `amount`. `ask_above`: with the new `ask_above`. `register`: create a passkey. `add`: allow one more passkey to be registered. `remove`: with `passkey_id`. `create_key`: create account keys without a new login
             * @enum {string}
             */
            deed: "payment" | "payout" | "ask_above" | "register" | "add" | "remove" | "create_key";
            /**
             * Payment Id
             * @description From the error `passkey.required`
             */
            payment_id?: string | null;
            /**
             * Receiver Username
             * @description Who is paid
             */
            receiver_username?: string | null;
            /**
             * Destination Address
             * @description Where the coins go
             */
            destination_address?: string | null;
            /**
             * Blockchain
             * @description Of the address; the home blockchain if absent
             */
            blockchain?: string | null;
            /**
             * Amount
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            amount?: string;
            /**
             * Payout Id
             * @description The payout
             */
            payout_id?: string | null;
            /**
             * Passkey Id
             * @description The passkey to remove
             */
            passkey_id?: string | null;
            /**
             * Ask Above
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            ask_above?: string;
        };
        /**
         * PasskeyChallenge
         * @description What a passkey must sign
         */
        PasskeyChallenge: {
            /**
             * Format: uuid
             * @description The id
             */
            challenge_id: string;
            /**
             * Format: date-time
             * @description Until then it can be answered
             */
            expires_at: string;
            /** @description For `PublicKeyCredential.parseCreationOptionsFromJSON` (deed `register`) or `parseRequestOptionsFromJSON`, then `navigator.credentials.create` or `get` */
            options: {
                [key: string]: unknown;
            };
        };
        /**
         * NewPasskey
         * @description A new passkey, as the browser created it
         */
        NewPasskey: {
            /**
             * Challenge Id
             * Format: uuid
             * @description Of the deed `register`
             */
            challenge_id: string;
            /**
             * Name
             * @description Your own name for it
             */
            name: string;
            /**
             * Credential Id
             * @description `rawId` in base64url
             */
            credential_id: string;
            /**
             * Client Data
             * @description `response.clientDataJSON` in base64url
             */
            client_data: string;
            /**
             * Attestation
             * @description `response.attestationObject` in base64url
             */
            attestation: string;
            /**
             * Transports
             * @description `response.getTransports()`
             */
            transports?: string[] | null;
        };
        /**
         * PasskeyProof
         * @description The signature of a challenge, as the browser returned it
         */
        PasskeyProof: {
            /**
             * Challenge Id
             * Format: uuid
             * @description The challenge that was signed
             */
            challenge_id: string;
            /**
             * Credential Id
             * @description `rawId` in base64url
             */
            credential_id: string;
            /**
             * Client Data
             * @description `response.clientDataJSON` in base64url
             */
            client_data: string;
            /**
             * Authenticator Data
             * @description `response.authenticatorData` in base64url
             */
            authenticator_data: string;
            /**
             * Signature
             * @description `response.signature` in base64url
             */
            signature: string;
        };
        /**
         * PasskeyProved
         * @description The person has confirmed the deed: it can be done once, within five minutes
         */
        PasskeyProved: {
            /** @description Always true; a refusal is a problem document */
            success: boolean;
            /**
             * Format: uuid
             * @description The challenge
             */
            challenge_id: string;
        };
        /**
         * PasskeyRule
         * @description When payments need a passkey
         */
        PasskeyRule: {
            /**
             * Ask Above
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            ask_above?: string;
        };
        /**
         * PasskeyMessage
         * @description The passkeys of a person changed, or when payments need one
         */
        PasskeyMessage: {
            /**
             * @description The type of the event
             * @enum {string}
             */
            type: "passkey.added" | "passkey.removed" | "passkey.rule_changed" | "passkey.removal_begun" | "passkey.removal_ended";
            /**
             * Format: date-time
             * @description The time of the event
             */
            timestamp: string;
            /** @description Ids only; use the API to read the rest */
            data: {
                /**
                 * Format: uuid
                 * @description The person
                 */
                user_id: string;
                /** @description The person */
                user_ids: string[];
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginAnswer"];
                };
            };
        };
    };
    refresh_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tokens"];
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    end_all_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsEnded"];
                };
            };
        };
    };
    revoke_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id from the list of your sessions. A UUID; also accepted in braces, as `urn:uuid:…` or as 32 digits */
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionRevoked"];
                };
            };
        };
    };
    list_account_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountKeyList"];
                };
            };
        };
    };
    create_account_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAccountKey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountKeyCreated"];
                };
            };
        };
    };
    revoke_account_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id from the list of your keys. A UUID; also accepted in braces, as `urn:uuid:…` or as 32 digits */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountKeyRevoked"];
                };
            };
        };
    };
    list_passkeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
        };
    };
    add_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
        };
    };
    create_passkey_challenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyDeed"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyChallenge"];
                };
            };
        };
    };
    prove_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyProof"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyProved"];
                };
            };
        };
    };
    set_passkey_rule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyRule"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
        };
    };
    keep_passkeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
        };
    };
    remove_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An id from the list of your passkeys. A UUID; also accepted in braces, as `urn:uuid:…` or as 32 digits */
                passkey_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
        };
    };
    set_username: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetUsernameRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsernameSet"];
                };
            };
        };
    };
    send_usdc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendToUserRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentToUser"];
                };
            };
        };
    };
    cancel_transaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the payment. A UUID; also accepted in braces, as `urn:uuid:…` or as 32 digits */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    latest_transactions_by_username: {
        parameters: {
            query?: {
                /** @description The maximum number of entries */
                limit?: number;
                /** @description The `next_cursor` of the previous page */
                cursor?: string;
                /** @description Only payments of this kind */
                kind?: components["schemas"]["TransactionKind"];
                /** @description Only entries in this state */
                state?: components["schemas"]["TransactionState"];
                /** @description Only payments at or after this time (RFC 3339) */
                from?: string;
                /** @description Only payments before this time (RFC 3339) */
                to?: string;
                /** @description Only payments of at least this amount of USDC */
                min_amount?: string;
                /** @description Only payments of at most this amount of USDC */
                max_amount?: string;
                /** @description `in`: only payments that the person gets. `out`: only payments that the person makes */
                direction?: "in" | "out";
                /** @description Only payments in which this text occurs, in upper or lower case: in the note, the name or address of the other party, or the reason of a refund or correction. An amount such as `12.5` also finds payments of exactly this amount; a transaction hash, and at least eight characters of the beginning of an id, find that payment. A page reads at most 5,000 entries of the history, so it may be empty and still have a `next_cursor` */
                search?: string;
                /** @description The username or address of the other party */
                counterparty?: string;
            };
            header?: never;
            path: {
                /** @description The current username, or a former one that redirects to it */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionPage"];
                    "text/csv": string;
                };
            };
        };
    };
    list_requests: {
        parameters: {
            query?: {
                /** @description `incoming`: requests to you; `outgoing`: requests from you */
                direction?: "incoming" | "outgoing";
                /** @description Only entries in this state */
                state?: "open" | "paid" | "declined" | "cancelled" | "expired";
                /** @description The maximum number of entries */
                limit?: number;
                /** @description The `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoneyRequestPage"];
                };
            };
        };
    };
    ask_for_money: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskForMoney"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoneyRequest"];
                };
            };
        };
    };
    get_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the request */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoneyRequest"];
                };
            };
        };
    };
    pay_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the request */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentToUser"];
                };
            };
        };
    };
    decline_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the request */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoneyRequest"];
                };
            };
        };
    };
    cancel_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the request */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoneyRequest"];
                };
            };
        };
    };
    export_account: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountExport"];
                };
            };
        };
    };
    close_account: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountClosed"];
                };
            };
        };
    };
    read_limits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the person. A UUID; also accepted in braces, as `urn:uuid:…` or as 32 digits */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
        };
    };
    read_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    change_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
        };
    };
    read_my_overview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnOverview"];
                };
            };
        };
    };
    list_my_recipients: {
        parameters: {
            query?: {
                /** @description The maximum number of entries */
                limit?: number;
                /** @description The `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecipientList"];
                };
            };
        };
    };
    find_keyed_payment: {
        parameters: {
            query: {
                /** @description The key */
                idempotency_key: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyedPayment"];
                };
            };
        };
    };
    get_transaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the payment */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    check_username: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The username, in upper or lower case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsernameCheck"];
                };
            };
        };
    };
    find_address: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The address of a wallet */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressOwner"];
                };
            };
        };
    };
    find_public_name: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The username, in upper or lower case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicName"];
                };
            };
        };
    };
    find_public_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the request */
                request_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicRequest"];
                };
            };
        };
    };
    preview_payment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preview"];
                };
            };
        };
    };
    send_to_address: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendToAddressRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transaction"];
                };
            };
        };
    };
    list_events: {
        parameters: {
            query?: {
                /** @description Continue after this event: the `next_cursor` of the previous response, or the `id` of an event. `start` is before the first event, `now` after the last one */
                after?: string;
                /** @description Only these types, separated by commas. `payment.*` means all types that begin with `payment.` */
                types?: string;
                /** @description The maximum number of entries */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    stream_events: {
        parameters: {
            query?: {
                /** @description The position to start from if there is no `Last-Event-ID`: the `id` of an event, `start` or `now` */
                after?: string;
                /** @description Only these types, separated by commas. `payment.*` means all types that begin with `payment.` */
                types?: string;
                /** @description The `event` field of each message. `type`: the event's type, so a client registers a listener for each type. `message`: no `event` field, so that `onmessage` receives all events; the type is in `data` */
                event_name?: "type" | "message";
                /** @description The same as `Last-Event-ID`, for libraries that send it in the URL. The header has precedence */
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    start_kyc: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KycRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycApplicant"];
                };
            };
        };
    };
    issue_kyc_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KycRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycToken"];
                };
            };
        };
    };
    check_kyc: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the person. A UUID; also accepted in braces, as `urn:uuid:…` or as 32 digits */
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStatus"];
                };
            };
        };
    };
    read_kyc: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The e-mail address in the ID token, in upper or lower case */
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KycStatus"];
                };
            };
        };
    };
    list_payouts: {
        parameters: {
            query?: {
                /** @description Only entries in this state */
                state?: "checked" | "approving" | "running" | "waiting" | "stopping" | "complete" | "cancelled";
                /** @description The `next_before` of the previous page */
                before?: string;
                /** @description The maximum number of entries */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayoutPage"];
                };
            };
        };
    };
    create_payout: {
        parameters: {
            query?: {
                /** @description The payer: a username, or the id of a wallet. The default is the treasury */
                payer?: string;
                /** @description What happens to rows that exceed the balance or a limit: they wait for up to three days, or they fail */
                on_shortage?: "wait" | "fail";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPayout"];
                "text/csv": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payout"];
                };
            };
        };
    };
    get_payout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the payout */
                payout_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payout"];
                };
            };
        };
    };
    confirm_payout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the payout */
                payout_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmPayout"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payout"];
                };
            };
        };
    };
    cancel_payout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the payout */
                payout_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payout"];
                };
            };
        };
    };
    list_payout_items: {
        parameters: {
            query?: {
                /** @description Only entries in this state */
                state?: "ready" | "sent" | "paid" | "failed" | "cancelled";
                /** @description The `next_after` of the previous page */
                after?: number;
                /** @description The maximum number of entries */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id of the payout */
                payout_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayoutItemPage"];
                };
            };
        };
    };
    export_payout_items: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the payout */
                payout_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    list_webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    create_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookCreated"];
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    remove_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookRemoved"];
                };
            };
        };
    };
    change_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotate_webhook_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateWebhookSecret"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                };
            };
        };
    };
    list_webhook_deliveries: {
        parameters: {
            query?: {
                /** @description Only entries in this state */
                state?: "waiting" | "delivered" | "failed";
                /** @description The maximum number of entries */
                limit?: number;
                /** @description The `next_cursor` of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
        };
    };
    replay_webhook_event: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook */
                webhook_id: string;
                /** @description The id of the event, as in `webhook-id` */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    replay_webhook_events: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayWebhookEvents"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    test_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the webhook */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
}
