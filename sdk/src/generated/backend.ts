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
        delete?: never;
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
        /** What happened, newest first */
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
        /** Look at a request for money */
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
        /** What a person may still spend */
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
        /** See your own account */
        get: operations["read_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See your own money */
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
        /** List whom you have paid */
        get: operations["list_my_recipients"];
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
        /** See a payment */
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
        /** Ask whether a username is free */
        get: operations["check_username"];
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
        /** See what a payment would do */
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
        /** Read what has happened */
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
        /** Ask the provider now */
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
        /** Payouts of this key */
        get: operations["list_payouts"];
        put?: never;
        /** Check a file of payments */
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
        /** A payout, and how far it is */
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
        /** Cancel what has not begun */
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
        /** The rows of a payout */
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
        /** The rows of a payout as a file */
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
        /** Make a new secret */
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
         * @description What somebody logs in with.
         */
        LoginRequest: {
            /**
             * Id Token
             * @description An ID token of a configured issuer
             */
            id_token: string;
        };
        /**
         * RefreshRequest
         * @description What a session goes on with.
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
         * @description Who wants to be called what.
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
        };
        /**
         * User
         * @description A person who has logged in.
         */
        User: {
            /**
             * Format: uuid
             * @description Stable for ever
             */
            user_id: string;
            /** @description From the ID token; null when it has none */
            email: string | null;
            /** @description Null until one is chosen */
            username: string | null;
            kyc_status: components["schemas"]["KycState"];
            /**
             * Format: date-time
             * @description First login
             */
            created_at: string;
        };
        /**
         * Wallet
         * @description A person's wallet on a blockchain.
         */
        Wallet: {
            /** @description Null while the wallet is being made; a later login has it */
            wallet_id: string | null;
            /** @description Null while the wallet is being made; payments by username work meanwhile */
            address: string | null;
            /** @description The blockchain that people pay each other on */
            blockchain: string;
        };
        /**
         * LoginAnswer
         * @description A session, and who it belongs to.
         */
        LoginAnswer: components["schemas"]["Tokens"] & {
            /** @description Who has logged in */
            user: components["schemas"]["User"];
            /** @description Their wallet */
            wallet: components["schemas"]["Wallet"];
            /** @description Whether this login made the user */
            new_user: boolean;
        };
        /**
         * Tokens
         * @description What a session is used with.
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
            /** @description Good for one refresh */
            refresh_token: string;
            /**
             * Format: uuid
             * @description The session these tokens belong to
             */
            session_id: string;
        };
        /**
         * Session
         * @description A log-in on one device.
         */
        Session: {
            /**
             * Format: uuid
             * @description For ending it
             */
            session_id: string;
            /**
             * Format: date-time
             * @description Login
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Last use
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description When it ends unless refreshed
             */
            expires_at: string;
            /** @description As it was at login */
            user_agent: string | null;
            /** @description Whether this call came with it */
            current: boolean;
        };
        /**
         * SessionList
         * @description The sessions of the caller.
         */
        SessionList: {
            /** @description Those that have not ended, newest first */
            sessions: components["schemas"]["Session"][];
        };
        /**
         * SessionRevoked
         * @description The session has ended.
         */
        SessionRevoked: {
            /** @description Always true: a refusal is a problem */
            success: boolean;
            /**
             * Format: uuid
             * @description The session that ended
             */
            session_id: string;
        };
        /**
         * UsernameSet
         * @description The name that is used from now on.
         */
        UsernameSet: {
            /** @description Always true: a refusal is a problem */
            success: boolean;
            /**
             * Format: uuid
             * @description Whose
             */
            user_id: string;
            /** @description The name as it is kept, in lower case */
            username: string;
            /** @description The name before; it leads here for 90 days. Null when there was none */
            previous_username: string | null;
        };
        /**
         * Transaction
         * @description A payment, with everything that has happened to it.
         */
        Transaction: {
            /**
             * Format: uuid
             * @description Its id everywhere: here, at the wallet provider, on the chain
             */
            transaction_id: string;
            state: components["schemas"]["TransactionState"];
            kind: components["schemas"]["TransactionKind"];
            /** @description What is paid */
            amount: components["schemas"]["UsdcAmount"];
            /** @description The blockchain of the USDC */
            blockchain: string;
            /** @description Who pays */
            from: components["schemas"]["Party"];
            /** @description Who is paid */
            to: components["schemas"]["Party"];
            /** @description The chain transaction that carries it now, if one does */
            tx_hash: string | null;
            /** @description What the network took, in USDC, once it is known */
            network_fee: components["schemas"]["UsdcAmount"] | null;
            /** @description Why it failed */
            error_reason: string | null;
            /**
             * Format: date-time
             * @description When it was accepted
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When anything last changed
             */
            updated_at: string;
            /** @description Every step, oldest first */
            timeline: components["schemas"]["TimelineStep"][];
        };
        /**
         * Party
         * @description A person, an address or a wallet, never two of them: no answer resolves one from another.
         */
        Party: components["schemas"]["UserParty"] | components["schemas"]["AddressParty"] | components["schemas"]["WalletParty"];
        /**
         * TimelineStep
         * @description One thing that happened to a payment.
         */
        TimelineStep: {
            /**
             * Format: date-time
             * @description When
             */
            at: string;
            /** @description The state that was reached; null for an event within a state */
            state: components["schemas"]["TransactionState"] | null;
            /** @description The chain transaction of this step; a replaced one stays visible */
            tx_hash: string | null;
            /** @description What happened, or what it is waiting for */
            note: string | null;
        };
        /**
         * SentToUser
         * @description A payment between people: always complete.
         */
        SentToUser: components["schemas"]["Transaction"] & {
            /**
             * @description Always true: a refusal is a problem
             * @constant
             */
            success: true;
            /** @description The sender's balance after */
            available: components["schemas"]["UsdcBalance"];
            /** @description For the books of the sender */
            receipt_id: string;
            /**
             * @description Payments between people are final at once
             * @constant
             */
            state?: "COMPLETE";
            /**
             * @description Between people
             * @constant
             */
            kind?: "user";
        };
        /**
         * TransactionPage
         * @description A page of history.
         */
        TransactionPage: {
            /** @description Whose history, by the name of today */
            username: string;
            /** @description Newest first */
            transactions: components["schemas"]["ListedTransaction"][];
            /** @description For the page after; null on the last */
            next_cursor: string | null;
        };
        /**
         * AskForMoney
         * @description Whom to ask for how much
         */
        AskForMoney: {
            /**
             * Payer Username
             * @description Who is asked; leave it out to ask whoever gets the link
             */
            payer_username?: string | null;
            /**
             * Amount
             * @description USDC as decimal text, such as "12.5": six decimals at most.
             */
            amount: string;
            /**
             * Note
             * @description What it is for: one line, without control characters
             */
            note?: string | null;
            /**
             * Expires At
             * @description Until when it can be paid (RFC 3339), at most 366 days; seven days if it is left out
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
             * @description Also the `transaction_id` of its payment. Of a request by link it is the permission to pay
             */
            request_id: string;
            /**
             * @description All but `open` are final
             * @enum {string}
             */
            state: "open" | "paid" | "declined" | "cancelled" | "expired";
            /**
             * @description Whether you are asked or ask
             * @enum {string}
             */
            direction: "incoming" | "outgoing";
            /** @description Who asks, by their name today */
            asker_username: string | null;
            /** @description Who is asked or has paid; null for a link that nobody has paid, and for those who are neither */
            payer_username: string | null;
            /** @description Whoever has the id may pay */
            by_link: boolean;
            /** @description USDC, decimal */
            amount: string;
            /** @description What it is for */
            note: string | null;
            /**
             * Format: date-time
             * @description When it was asked
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Until when it can be paid
             */
            expires_at: string;
            /** @description When it was paid, declined or cancelled, or its time was over */
            ended_at: string | null;
            /** @description The payment, for the two who are part of it */
            transaction_id: string | null;
        };
        /**
         * MoneyRequestPage
         * @description A page of requests for money
         */
        MoneyRequestPage: {
            /** @description Newest first */
            requests: components["schemas"]["MoneyRequest"][];
            /** @description For the page after; null on the last */
            next_cursor: string | null;
        };
        /**
         * AccountExport
         * @description Everything that is kept about a person
         */
        AccountExport: {
            /**
             * Format: date-time
             * @description When the export began
             */
            exported_at: string;
            /**
             * ExportedProfile
             * @description Who you are to us
             */
            profile: {
                /** Format: uuid */
                user_id: string;
                /** @description As your identity provider tells it */
                email: string | null;
                email_verified: boolean;
                /** @description Your identity provider */
                issuer: string;
                /** @description Your id there */
                subject: string;
                /** Format: date-time */
                created_at: string;
            };
            /** @description Your names, today's and earlier ones */
            usernames: {
                username: string;
                /** Format: date-time */
                from: string;
                /** @description Null: your name today */
                until: string | null;
            }[];
            /** @description Your wallets */
            wallets: {
                wallet_id: string;
                address: string;
                blockchain: string;
            }[];
            /** @description Your money by blockchain */
            balances: {
                blockchain: string;
                /** @description USDC, decimal */
                available: string;
                /** @description USDC, decimal */
                held: string;
            }[];
            /**
             * ExportedKyc
             * @description What is known of your identity check
             */
            kyc: {
                /** Format: uuid */
                user_id: string;
                /**
                 * @description `approved` means completed and green at the provider, nothing less; `revoked` is an approval that was taken back
                 * @enum {string}
                 */
                status: "none" | "started" | "pending" | "needs_input" | "approved" | "rejected" | "revoked";
                /** @description Whether the person may go through the check again */
                can_retry: boolean;
                /** @description What the person may be told about a refusal */
                reasons: string[];
                /** @description When it last changed; null before the first check */
                updated_at: string | null;
                /** @description The provider did not answer when it was last asked */
                stale: boolean;
                /** @description Which check */
                level: string | null;
                /** @description Your id at the provider of identity checks */
                applicant_id: string | null;
            };
            /** @description Where you are and were logged in */
            sessions: {
                /** Format: uuid */
                session_id: string;
                /** @description As it was at login */
                user_agent: string | null;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                last_used_at: string;
                /** Format: date-time */
                expires_at: string;
                /** @description Null: it has not been ended */
                ended_at: string | null;
                /** @description Why it was ended */
                ended_because: string | null;
            }[];
            /** @description What the audit log says about you */
            activity: {
                /** Format: date-time */
                at: string;
                action: string;
                /** @description What kind of actor: `user` is you */
                by: string;
            }[];
            /** @description Requests for money that you made or got */
            requests: components["schemas"]["MoneyRequest"][];
            /** @description All of them, newest first */
            transactions: components["schemas"]["ExportedTransaction"][];
        };
        /**
         * ExportedTransaction
         * @description A payment, as your history shows it
         */
        ExportedTransaction: {
            /**
             * Format: uuid
             * @description Its id everywhere: here, at the wallet provider, on the chain
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
            /** @description The chain transaction that carries it now, if one does */
            tx_hash: string | null;
            /** @description What the network took, in USDC, once it is known */
            network_fee: string | null;
            /** @description Why it failed */
            error_reason: string | null;
            /**
             * Format: date-time
             * @description When it was accepted
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When anything last changed
             */
            updated_at: string;
            /** @description Every step, oldest first */
            timeline: components["schemas"]["TimelineStep"][];
            /** @description What you had left after it */
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
             * @description When it was closed
             */
            closed_at: string;
            /** @description Until when nobody else can take your username; null if you had none */
            username_held_until: string | null;
        };
        /**
         * EventType
         * @description What an event is about, and the state that it has reached. New ones come: ignore those that you do not know.
         *
         *     - `payment.…`: a payment, by its `state`. One between people is `payment.complete` at once
         *     - `deposit.complete`: coins from outside were credited
         *     - `refund.complete`: a payment was given back, in whole or in part; the transaction is the refund
         *     - `correction.complete`: the service corrected a balance
         *     - `debt.complete`: the service covered what a balance lacked for a payment that a blockchain has made, or collected it
         *     - `request.…`: a request for money, by its `state`
         *     - `kyc.…`: an identity check, by its `status`
         *     - `payout.…`: a payout, by its `state`; only services are told
         * @enum {string}
         */
        EventType: "payment.initiated" | "payment.cleared" | "payment.queued" | "payment.sent" | "payment.stuck" | "payment.confirmed" | "payment.complete" | "payment.failed" | "payment.denied" | "payment.cancelled" | "deposit.complete" | "refund.complete" | "correction.complete" | "debt.complete" | "request.open" | "request.paid" | "request.declined" | "request.cancelled" | "request.expired" | "kyc.none" | "kyc.started" | "kyc.pending" | "kyc.needs_input" | "kyc.approved" | "kyc.rejected" | "kyc.revoked" | "payout.checked" | "payout.approving" | "payout.running" | "payout.waiting" | "payout.stopping" | "payout.complete" | "payout.cancelled";
        /**
         * Event
         * @description Something that has happened.
         */
        Event: {
            /** @description The same for every reader, and also a cursor. Ids sort like the feed */
            id: string;
            type: components["schemas"]["EventType"];
            /**
             * Format: date-time
             * @description When it happened. Go by the order, not by this: two events of the same moment may have it the other way round
             */
            at: string;
            /** @description The payment, deposit or refund */
            transaction_id: string | null;
            /** @description The request for money */
            request_id: string | null;
            /**
             * Format: uuid
             * @description The payout; only in its own events
             */
            payout_id?: string;
            /** @description Whose event it is: a service is told everybody concerned, a person only themselves. Empty for payments out of the treasury */
            user_ids: string[];
            /** @description The transaction, request, identity check or payout as it is now, which may be further than `type` says. A service sees a request as its asker does */
            object: components["schemas"]["Transaction"] | components["schemas"]["MoneyRequest"] | components["schemas"]["KycStatus"] | components["schemas"]["Payout"];
        };
        /**
         * EventPage
         * @description A page of events.
         */
        EventPage: {
            /** @description Oldest first */
            events: components["schemas"]["Event"][];
            /** @description Where to go on. It may be of an event that you did not ask for */
            next_cursor: string;
            /** @description More may be there already: ask again at once */
            has_more: boolean;
            /** @description Events of this time and later have happened and cannot be told yet, because an earlier database transaction is still open; null when that is not so */
            held_back_since: string | null;
        };
        /**
         * KycRequest
         * @description Whose identity is checked.
         */
        KycRequest: {
            /**
             * User Id
             * Format: uuid
             * @description Whose identity is checked
             */
            user_id: string;
        };
        /**
         * SumsubEvent
         * @description Sumsub adds members as it likes; only these are looked at.
         */
        SumsubEvent: {
            /** @description What happened */
            type?: string;
            /** @description To whom, by the provider's id */
            applicantId?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * CircleEvent
         * @description Circle adds members as it likes; only these are looked at.
         */
        CircleEvent: {
            /** @description What it is about */
            notificationType?: string;
            /** @description The same when a message is repeated */
            notificationId?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * KycApplicant
         * @description A person at the identity provider.
         */
        KycApplicant: {
            /** @description The provider's id of the person */
            applicant_id: string;
            /**
             * Format: uuid
             * @description Whose identity
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
            /** @description The provider's id of the person */
            applicant_id: string;
            /** @description Seconds */
            expires_in: number;
        };
        /**
         * KycStatus
         * @description How far the identity check is.
         */
        KycStatus: {
            /**
             * Format: uuid
             * @description Whose identity
             */
            user_id: string;
            status: components["schemas"]["KycState"];
            /** @description Whether the person may go through the check again */
            can_retry: boolean;
            /** @description What the person may be told about a refusal */
            reasons: string[];
            /** @description When it last changed; null before the first check */
            updated_at: string | null;
            /** @description The provider did not answer when it was last asked */
            stale: boolean;
        };
        /**
         * WebhookReceived
         * @description The message has arrived.
         */
        WebhookReceived: {
            /** @description Always true */
            received: boolean;
        };
        /**
         * Limits
         * @description What a person may spend.
         */
        Limits: {
            /**
             * Format: uuid
             * @description Whose limits
             */
            user_id: string;
            kyc_status: components["schemas"]["KycState"];
            /** @description The set of limits that the person's identity check has earned */
            tier: string;
            /** @description Whether the person may pay at all now */
            can_pay: boolean;
            /** @description Why this person's payments are stopped; null when they are not */
            paused: string | null;
            /** @description Each limit of the tier */
            limits: components["schemas"]["Limit"][];
            /**
             * @description What would raise the limits: passing the identity check, or the operator of this service
             * @enum {string}
             */
            raised_by: "kyc" | "operator";
            /** @description The limits after passing the identity check; null when it is passed */
            raised_to: components["schemas"]["RaisedLimits"] | null;
        };
        /**
         * Limit
         * @description One limit, and what is left of it.
         */
        Limit: {
            /**
             * @description Each payment, the last 24 hours, the last 30 days, or the number of payments in the last 24 hours
             * @enum {string}
             */
            limit: "payment" | "day" | "month" | "count";
            /**
             * @description What is counted
             * @enum {string}
             */
            unit: "USDC" | "payments";
            /** @description Null: no limit */
            maximum: components["schemas"]["UsdcAmount"] | null;
            /** @description Null: no limit */
            left: components["schemas"]["UsdcAmount"] | null;
            /** @description When the oldest share leaves the window; null when there is none in it */
            resets_at: string | null;
        };
        /**
         * RaisedLimits
         * @description Limits of another tier.
         */
        RaisedLimits: {
            /** @description Of each payment, in USDC. Null: no limit */
            payment: components["schemas"]["UsdcAmount"] | null;
            /** @description Of the last 24 hours, in USDC. Null: no limit */
            day: components["schemas"]["UsdcAmount"] | null;
            /** @description Of the last 30 days, in USDC. Null: no limit */
            month: components["schemas"]["UsdcAmount"] | null;
            /** @description Payments in the last 24 hours. Null: no limit */
            count: components["schemas"]["UsdcAmount"] | null;
        };
        /**
         * Me
         * @description Your own account
         */
        Me: {
            user: components["schemas"]["User"];
            wallet: components["schemas"]["Wallet"];
            /** @description Where you receive USDC on blockchains on which you have another address than `wallet.address`, as on Solana and Aptos; ordered by blockchain. Empty when there are none. On every other blockchain of this service `wallet.address` is yours too */
            other_addresses: components["schemas"]["OtherAddress"][];
            kyc: components["schemas"]["KycStatus"];
            limits: components["schemas"]["Limits"];
            /** @description What is paused for everybody now; empty in normal times. Whether your own payments are stopped says `limits.paused` */
            pauses: components["schemas"]["GeneralPause"][];
        };
        /**
         * OtherAddress
         * @description Your address on one blockchain. Only USDC that is sent there on that blockchain arrives.
         */
        OtherAddress: {
            /** @description The only blockchain that this address is for */
            blockchain: string;
            /** @description As this blockchain writes it: on Solana 32 bytes in base58, in which case counts; on Aptos `0x` and 64 digits; elsewhere `0x` and 40 */
            address: string;
        };
        /**
         * GeneralPause
         * @description Payments that are paused for everybody. Money stays where it is, and what was accepted before goes on, or waits.
         */
        GeneralPause: {
            /**
             * @description Which payments are not accepted: all, those between people, or those to addresses
             * @enum {string}
             */
            payments: "all" | "people" | "addresses";
            /** @description The only blockchain that it is about; null when it is about all */
            blockchain: string | null;
            /** @description Why, in words for people */
            reason: string;
            /**
             * Format: date-time
             * @description When it began
             */
            since: string;
        };
        /**
         * OwnOverview
         * @description Your money and rates, for a first display
         */
        OwnOverview: {
            /** @description Your wallet; null while it is being made */
            address: string | null;
            /** @description What one USDC is worth */
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
            /** @description What one unit of the first is worth in the second */
            price: string;
            /**
             * Format: date-time
             * @description When the price was true
             */
            as_of: string;
            /** @description Older than it should be */
            stale: boolean;
            /** @description Who said so */
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
            /** @description What can be spent now */
            available: string;
            /** @description Reserved for payments on their way */
            held: string;
            /** @description On its way in, not yet final */
            pending_in: string;
            /** @description What the chain shows for the address; null while it is not known */
            onchain: string | null;
            /** @description The block that `onchain` was read at; null while it is not known */
            block_number: number | null;
            /** @description When it was true; null while it is not known */
            as_of: string | null;
            /** @description Older than it should be */
            stale: boolean;
        };
        /**
         * Recipient
         * @description Somebody, or an address, that you have paid
         */
        Recipient: {
            to: components["schemas"]["Party"];
            /** @description Of the newest payment */
            blockchain: string;
            /** @description How many you have made */
            payments: number;
            /**
             * Format: date-time
             * @description When you paid them last
             */
            last_paid_at: string;
        };
        /**
         * RecipientList
         * @description A page of those whom you have paid
         */
        RecipientList: {
            /** @description Newest first */
            recipients: components["schemas"]["Recipient"][];
            /** @description For the page after; null on the last */
            next_cursor: string | null;
        };
        /**
         * UsernameCheck
         * @description Whether a name is free
         */
        UsernameCheck: {
            /** @description In small letters */
            username: string;
            /**
             * @description `own`: it is your name, or an old one that still leads to you
             * @enum {string}
             */
            state: "free" | "taken" | "own";
        };
        /**
         * PreviewRequest
         * @description The payment that you have in mind: to a username or to an address
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
             * @description Where the address is; the home blockchain when it is not given
             */
            blockchain?: string | null;
        };
        /**
         * Preview
         * @description What the payment would do
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
            /** @description You have never paid them */
            first_time: boolean;
            /** @description What is added to the amount, in USDC. The service pays what the network costs */
            fee: string;
            /** @description Your balance after the payment */
            available_after: string;
            /** @description Your limits after the payment */
            limits_after: components["schemas"]["Limit"][];
            /** @description How many operators must approve it before it is sent */
            approvals_needed: number;
            /** @description It would wait until then, because you have never paid this address; null when it would not */
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
             * @description Where the address is; the home blockchain when it is not given
             */
            blockchain?: string | null;
        };
        /**
         * NewPayout
         * @description Payments to make. Every value is a text.
         */
        NewPayout: {
            /** @description In the order in which they are paid */
            rows: components["schemas"]["NewPayoutRow"][];
        };
        /**
         * NewPayoutRow
         * @description One payment.
         */
        NewPayoutRow: {
            /** @description Your own name of this payment: at most 100 printable ASCII characters, and begins with a letter or digit. Once in a file */
            reference: string;
            /** @description A username, or an address */
            to: string;
            /** @description How much */
            amount: components["schemas"]["UsdcAmount"];
            /** @description Of an address; without it the home blockchain */
            blockchain?: string;
            /** @description For you, at most 200 characters; it comes back with the rows */
            note?: string;
        };
        /**
         * ConfirmPayout
         * @description What you have looked at, and want to be paid.
         */
        ConfirmPayout: {
            /** @description The `count` of the payout */
            count: number;
            /** @description The `total` of the payout */
            total: string;
        };
        /**
         * RowSum
         * @description How many rows, and how much.
         */
        RowSum: {
            /** @description How many */
            count: number;
            /** @description How much */
            total: components["schemas"]["UsdcAmount"];
        };
        /**
         * PayoutFault
         * @description What keeps rows from being paid.
         */
        PayoutFault: {
            /** @description For programs: an error code, or one of rows only */
            code: string;
            /** @description For people */
            detail: string;
        };
        /**
         * PayoutTotal
         * @description Rows of one kind.
         */
        PayoutTotal: {
            /** @description On which blockchain */
            blockchain: string;
            /**
             * @description Whom
             * @enum {string}
             */
            to: "people" | "addresses";
            /** @description How many */
            count: number;
            /** @description How much */
            total: components["schemas"]["UsdcAmount"];
        };
        /**
         * Payout
         * @description A file of payments, and how far it is.
         */
        Payout: {
            /**
             * Format: uuid
             * @description Its id
             */
            payout_id: string;
            /**
             * @description `checked`: to be confirmed; `approving`: two operators have to approve it; `running`; `waiting`: rows wait for what `waiting_for` says; `stopping`: cancelled, and payments to addresses are still under way; `complete`: every row is at its end; `cancelled`
             * @enum {string}
             */
            state: "checked" | "approving" | "running" | "waiting" | "stopping" | "complete" | "cancelled";
            /** @description Who pays: `treasury`, or a username; null for somebody without a name */
            payer: string | null;
            /** @description Rows to pay: all but those of `paid_before` */
            count: number;
            /** @description What these rows pay */
            total: components["schemas"]["UsdcAmount"];
            /** @description What is added to the total: nothing, the service pays the network's fees */
            fees: components["schemas"]["UsdcAmount"];
            /** @description Rows whose payments were made before under the same references. They are not paid again */
            paid_before: components["schemas"]["RowSum"];
            /** @description All rows, by blockchain, to people and to addresses */
            totals: components["schemas"]["PayoutTotal"][];
            /** @description All rows, by their state */
            rows: {
                /** @description Not begun */
                ready: components["schemas"]["RowSum"];
                /** @description To an address, and under way */
                sent: components["schemas"]["RowSum"];
                /** @description Paid, for good */
                paid: components["schemas"]["RowSum"];
                /** @description Will not be paid by this payout */
                failed: components["schemas"]["RowSum"];
                /** @description Were cancelled before they began */
                cancelled: components["schemas"]["RowSum"];
            };
            /**
             * @description As it was asked for
             * @enum {string}
             */
            on_shortage: "wait" | "fail";
            /** @description The same in words */
            rule: string;
            /** @description Why rows wait */
            waiting_for: components["schemas"]["PayoutFault"] | null;
            /** @description Until when rows wait; then they fail. Three days from the confirmation, or from the last approval where approvals are needed; null before */
            waits_until: string | null;
            /**
             * PayoutApprovals
             * @description Of operators.
             */
            approvals: {
                /** @description How many are needed */
                needed: number;
                /** @description How many there are */
                given: number;
            };
            /**
             * PayoutFile
             * @description The file as it came, which is kept.
             */
            file: {
                /** @description As it was sent */
                content_type: string;
                /** @description Its size */
                bytes: number;
                /** @description Of its bytes, hexadecimal */
                sha256: string;
            };
            /** @description When it was just checked: what would keep rows from being paid now, and rows that look like a slip. Otherwise empty */
            warnings: components["schemas"]["PayoutFault"][];
            /**
             * Format: date-time
             * @description When it was checked
             */
            created_at: string;
            /** @description When it was confirmed */
            confirmed_at: string | null;
            /** @description When the last row came to its end */
            ended_at: string | null;
        };
        /**
         * PayoutItem
         * @description A row of the file, and what became of it.
         */
        PayoutItem: {
            /** @description Its place in the file; 1 is the first after the header */
            row: number;
            /** @description As in the file */
            reference: string;
            /** @description As in the file: a name in small letters, an address with its checksum */
            to: string;
            /** @description As in the file */
            amount: components["schemas"]["UsdcAmount"];
            /** @description On which blockchain */
            blockchain: string;
            /** @description As in the file */
            note: string | null;
            /**
             * @description See `rows` of the payout
             * @enum {string}
             */
            state: "ready" | "sent" | "paid" | "failed" | "cancelled";
            /** @description The payment; null while there is none */
            transaction_id: string | null;
            /** @description How far the payment is */
            transaction_state: components["schemas"]["TransactionState"] | null;
            /** @description The blockchain's transaction, of a payment to an address */
            hash: string | null;
            /** @description Why it failed */
            error: components["schemas"]["PayoutFault"] | null;
        };
        /**
         * PayoutPage
         * @description A page of payouts.
         */
        PayoutPage: {
            /** @description The newest first */
            payouts: components["schemas"]["Payout"][];
            /** @description Begins the next page; null on the last */
            next_before: string | null;
        };
        /**
         * PayoutItemPage
         * @description A page of rows.
         */
        PayoutItemPage: {
            /** @description In the order of the file */
            items: components["schemas"]["PayoutItem"][];
            /** @description Begins the next page; null on the last */
            next_after: number | null;
        };
        /**
         * NewWebhook
         * @description Who shall be told of what
         */
        NewWebhook: {
            /** @description `https`, with a public host, on port 443 or 8443 */
            url: string;
            /** @description `*` for all, `payment.*` for a group, or single types such as `deposit.complete` */
            types: string[];
            /** @description For you */
            description?: string | null;
            /** @description `any`: each event as soon as possible, several at once. `in_order`: one at a time in the order of the feed; the next waits until the one before is taken */
            order?: ("any" | "in_order") | null;
        };
        /**
         * WebhookChange
         * @description What shall be different; the rest stays
         */
        WebhookChange: {
            /** @description `https`, with a public host, on port 443 or 8443 */
            url?: string | null;
            /** @description `*` for all, `payment.*` for a group, or single types such as `deposit.complete` */
            types?: string[] | null;
            /** @description For you */
            description?: string | null;
            /** @description `any`: each event as soon as possible, several at once. `in_order`: one at a time in the order of the feed; the next waits until the one before is taken */
            order?: ("any" | "in_order") | null;
            /** @description Off: nothing is sent until it is on again; then nothing is missing */
            state?: ("on" | "off") | null;
        };
        /**
         * RotateWebhookSecret
         * @description How long the former secret still signs
         */
        RotateWebhookSecret: {
            /** @description Within 30 days; a time that is over ends it at once; without it, a day */
            former_ends_at?: string | null;
        };
        /**
         * ReplayWebhookEvents
         * @description A time span
         */
        ReplayWebhookEvents: {
            /**
             * Format: date-time
             * @description From this time on
             */
            since: string;
            /**
             * Format: date-time
             * @description Until before this time
             */
            until: string;
            /** @description The `next_cursor` of the call before */
            cursor?: string | null;
        };
        /**
         * Webhook
         * @description An endpoint that is told of events
         */
        Webhook: {
            /**
             * Format: uuid
             * @description Its id
             */
            webhook_id: string;
            /** @description Who is told */
            url: string;
            /** @description Of what: `*`, groups such as `payment.*`, single types */
            types: string[];
            /** @description Yours */
            description: string;
            /**
             * @description `any`: each event as soon as possible, several at once. `in_order`: one at a time in the order of the feed; the next waits until the one before is taken
             * @enum {string}
             */
            order: "any" | "in_order";
            /**
             * @description `failed`: switched off, because nothing has worked for three days or the receiver answered 410; `failure` says which. Turn it on again with PATCH
             * @enum {string}
             */
            state: "on" | "off" | "failed";
            /** @description Why it was switched off */
            failure: string | null;
            /**
             * Format: date-time
             * @description No attempt has worked since then
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description When it was added
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
             * @description Its id
             */
            webhook_id: string;
            /** @description Who is told */
            url: string;
            /** @description Of what: `*`, groups such as `payment.*`, single types */
            types: string[];
            /** @description Yours */
            description: string;
            /**
             * @description `any`: each event as soon as possible, several at once. `in_order`: one at a time in the order of the feed; the next waits until the one before is taken
             * @enum {string}
             */
            order: "any" | "in_order";
            /**
             * @description `failed`: switched off, because nothing has worked for three days or the receiver answered 410; `failure` says which. Turn it on again with PATCH
             * @enum {string}
             */
            state: "on" | "off" | "failed";
            /** @description Why it was switched off */
            failure: string | null;
            /**
             * Format: date-time
             * @description No attempt has worked since then
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description When it was added
             */
            created_at: string;
            /** @description Verifies the signatures: keep it where only the receiver can read it. It is never shown again */
            secret: string;
        };
        /**
         * WebhookList
         * @description All webhooks
         */
        WebhookList: {
            /** @description The oldest first */
            webhooks: components["schemas"]["Webhook"][];
        };
        /**
         * WebhookRemoved
         * @description A webhook that is gone
         */
        WebhookRemoved: {
            /**
             * Format: uuid
             * @description Its id
             */
            webhook_id: string;
            /**
             * @description It is removed
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
             * @description Its id
             */
            webhook_id: string;
            /** @description Signs from now on. It is never shown again */
            secret: string;
            /**
             * Format: date-time
             * @description Until then the former secret signs too
             */
            former_ends_at: string;
        };
        /**
         * WebhookDelivery
         * @description One event for one webhook
         */
        WebhookDelivery: {
            /** @description As `webhook-id` says it, the same in every attempt */
            event_id: string;
            /** @description Of the event */
            type: string;
            /**
             * Format: date-time
             * @description When it happened
             */
            happened_at: string;
            /**
             * @description `delivered`: answered with 2xx. `failed`: given up after eleven attempts
             * @enum {string}
             */
            state: "waiting" | "delivered" | "failed";
            /** @description How many there were; counted anew when it is sent again */
            attempts: number;
            /**
             * Format: date-time
             * @description When the next is due; while one is under way, when it would be repeated
             */
            next_attempt_at: string | null;
            /** @description What the receiver said last */
            last_attempt: {
                /**
                 * Format: date-time
                 * @description When it ended
                 */
                at: string;
                /** @description How long it took, in milliseconds */
                took_ms: number;
                /** @description What it answered; null when nothing came */
                status: number | null;
                /** @description The first 1,000 characters of its body */
                answer: string | null;
                /** @description Why there was no answer */
                fault: string | null;
            } | null;
        };
        /**
         * WebhookDeliveryPage
         * @description A page of deliveries
         */
        WebhookDeliveryPage: {
            /** @description The newest event first */
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @description Begins the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * WebhookReplay
         * @description What is sent again
         */
        WebhookReplay: {
            /** @description How many are due now */
            events: number;
            /** @description There is more: send it with the next call */
            next_cursor: string | null;
        };
        /**
         * PaymentMessage
         * @description A payment has reached a state
         */
        PaymentMessage: {
            /**
             * @description What happened
             * @enum {string}
             */
            type: "payment.initiated" | "payment.cleared" | "payment.queued" | "payment.sent" | "payment.stuck" | "payment.confirmed" | "payment.complete" | "payment.failed" | "payment.denied" | "payment.cancelled";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids; ask for the rest */
            data: {
                /**
                 * Format: uuid
                 * @description Of the payment: `GET /circle/transaction/{transaction_id}` of the Web3 API
                 */
                transaction_id: string;
                /** @description The people whose event it is: who pays, is paid, asks or is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * DepositMessage
         * @description Coins have arrived for somebody and are credited
         */
        DepositMessage: {
            /**
             * @description What happened
             * @enum {string}
             */
            type: "deposit.complete";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids; ask for the rest */
            data: {
                /**
                 * Format: uuid
                 * @description Of the deposit
                 */
                transaction_id: string;
                /** @description The people whose event it is: who pays, is paid, asks or is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * RefundMessage
         * @description A payment was given back, in whole or in part
         */
        RefundMessage: {
            /**
             * @description What happened
             * @enum {string}
             */
            type: "refund.complete";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids; ask for the rest */
            data: {
                /**
                 * Format: uuid
                 * @description Of the refund, a payment of its own
                 */
                transaction_id: string;
                /** @description The people whose event it is: who pays, is paid, asks or is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * CorrectionMessage
         * @description The service corrected a balance
         */
        CorrectionMessage: {
            /**
             * @description What happened
             * @enum {string}
             */
            type: "correction.complete";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids; ask for the rest */
            data: {
                /**
                 * Format: uuid
                 * @description Of the correction
                 */
                transaction_id: string;
                /** @description The people whose event it is: who pays, is paid, asks or is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * DebtMessage
         * @description The service covered what a balance lacked for a payment that a blockchain has made, or collected it
         */
        DebtMessage: {
            /**
             * @description What happened
             * @enum {string}
             */
            type: "debt.complete";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids; ask for the rest */
            data: {
                /**
                 * Format: uuid
                 * @description Of what was covered or collected
                 */
                transaction_id: string;
                /** @description The people whose event it is: who pays, is paid, asks or is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * RequestMessage
         * @description A request for money has reached a state
         */
        RequestMessage: {
            /**
             * @description What happened
             * @enum {string}
             */
            type: "request.open" | "request.paid" | "request.declined" | "request.cancelled" | "request.expired";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids; ask for the rest */
            data: {
                /**
                 * Format: uuid
                 * @description Of the request; also of its payment
                 */
                request_id: string;
                /** @description The people whose event it is: who pays, is paid, asks or is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * KycMessage
         * @description An identity check has reached a status
         */
        KycMessage: {
            /**
             * @description What happened
             * @enum {string}
             */
            type: "kyc.none" | "kyc.started" | "kyc.pending" | "kyc.needs_input" | "kyc.approved" | "kyc.rejected" | "kyc.revoked";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids; ask for the rest */
            data: {
                /**
                 * Format: uuid
                 * @description Of the person
                 */
                user_id: string;
                /** @description The people whose event it is: who pays, is paid, asks or is asked. Empty for the treasury */
                user_ids: string[];
            };
        };
        /**
         * PayoutMessage
         * @description A payout has reached a state
         */
        PayoutMessage: {
            /**
             * @description What happened
             * @enum {string}
             */
            type: "payout.checked" | "payout.approving" | "payout.running" | "payout.waiting" | "payout.stopping" | "payout.complete" | "payout.cancelled";
            /**
             * Format: date-time
             * @description When it happened
             */
            timestamp: string;
            /** @description Ids; ask for the rest */
            data: {
                /**
                 * Format: uuid
                 * @description Of the payout
                 */
                payout_id: string;
                /** @description Empty: a payout is the service's own */
                user_ids: string[];
            };
        };
        /**
         * TestMessage
         * @description Nothing has happened: you asked for a test
         */
        TestMessage: {
            /**
             * @description Always this
             * @constant
             */
            type: "webhook.test";
            /**
             * Format: date-time
             * @description When you asked
             */
            timestamp: string;
            /** @description A sentence */
            data: {
                /** @description For people */
                message: string;
            };
        };
        /**
         * HTTPValidationError
         * @description The request is not what the document says.
         */
        HTTPValidationError: {
            /**
             * Detail
             * @description Everything that is wrong with it
             */
            detail?: components["schemas"]["ValidationError"][];
        };
        /**
         * ValidationError
         * @description One thing that is wrong with a request.
         */
        ValidationError: {
            /**
             * Location
             * @description Where: `body`, `path` or `query`, then the names
             */
            loc: string[];
            /**
             * Message
             * @description For people
             */
            msg: string;
            /**
             * Error Type
             * @description For programs
             */
            type: string;
        };
        /**
         * Detail
         * @description An answer of the router: the path, the method or the body could not be used.
         */
        Detail: {
            /** @description What is wrong, in a few words */
            detail: string;
        };
        /**
         * Problem
         * @description RFC 9457. The page that `type` leads to says which further members a code has.
         */
        Problem: {
            /**
             * Format: uri-reference
             * @description The page of the code, which both APIs serve
             */
            type: string;
            /** @description Stable for the code */
            title: string;
            /** @description The status of the answer */
            status: number;
            /** @description For people */
            detail: string;
            /** @description For programs */
            code: components["schemas"]["ErrorCode"];
            /** @description Whether the same request may succeed later */
            retryable: boolean;
            /** @description Also in `X-Request-Id`: quote it when you ask us */
            request_id: string;
            /** @description What can be spent now */
            available?: components["schemas"]["UsdcBalance"];
            /**
             * Format: date-time
             * @description From when on it is possible
             */
            available_at?: string;
            /** @description The blockchain that was asked for */
            blockchain?: string;
            /** @description How many rows the payout pays */
            count?: string;
            /** @description How many decimals an amount may have */
            decimals?: number;
            /** @description What does not answer */
            dependency?: string;
            /** @description How many errors were found */
            error_count?: number;
            /** @description What is wrong with a file, by row and column; the first 1,000 */
            errors?: {
                /** @description 1 is the first after the header; 0 is the file itself */
                row: number;
                /** @description The column, or null for the whole row */
                column: string | null;
                /** @description For programs */
                code: string;
                /** @description For people */
                detail: string;
            }[];
            /** @description The type of events that does not exist */
            event_type?: string;
            /** @description What open payments hold */
            held?: components["schemas"]["UsdcBalance"];
            /** @description How far the person's identity check is */
            kyc_status?: string;
            /** @description The largest amount of one payment */
            largest?: components["schemas"]["UsdcAmount"];
            /** @description What is left of the limit */
            left?: string;
            /** @description Which limit, or how many calls it allows */
            limit?: string | number;
            /** @description How large a body may be */
            limit_bytes?: number;
            /** @description The limit itself */
            maximum?: string;
            /** @description Payments that have not ended */
            open_payments?: number;
            /** @description Requests for money that have not ended */
            open_requests?: number;
            /** @description Payouts that may still pay from the account */
            open_payouts?: number;
            /** @description What the person owes */
            owed?: components["schemas"]["UsdcBalance"];
            /** @description Who is blocked */
            party?: string;
            /** @description Which limit of calls */
            policy?: string;
            /**
             * @description What would raise the limit
             * @enum {string}
             */
            raised_by?: "kyc" | "operator";
            /** @description Which check failed, or why it is so */
            reason?: string;
            /**
             * Format: date-time
             * @description When the oldest payment leaves the window
             */
            resets_at?: string | null;
            /** @description The cursor to go on after */
            resume_after?: string;
            /** @description As `Retry-After` */
            retry_after_seconds?: number;
            /** @description The scope that the key lacks */
            scope?: string;
            /** @description The state of the payment */
            state?: string;
            /** @description What the payout pays */
            total?: string;
            /** @description What the limit counts */
            unit?: string;
            /** @description What the rules of the key do not allow */
            what?: string;
            /** @description The time in which calls are counted */
            window_seconds?: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * TransactionState
         * @description Where a payment is. It never goes back, and may skip states. The last four are final.
         *
         *     - `INITIATED`: accepted, the amount is held
         *     - `CLEARED`: approved by two operators
         *     - `QUEUED`: the coins are reserved; waiting for a relayer
         *     - `SENT`: broadcast; waiting for a block
         *     - `STUCK`: no block has taken it for long; the fee is being raised
         *     - `CONFIRMED`: in a block; waiting until it is final
         *     - `COMPLETE`: final
         *     - `FAILED`: it can never be paid any more; the amount is back
         *     - `DENIED`: refused before anything was signed; the amount is back
         *     - `CANCELLED`: cancelled; the amount is back
         * @enum {string}
         */
        TransactionState: "INITIATED" | "CLEARED" | "QUEUED" | "SENT" | "STUCK" | "CONFIRMED" | "COMPLETE" | "FAILED" | "DENIED" | "CANCELLED";
        /**
         * TransactionKind
         * @description What a payment is.
         *
         *     - `user`: between two people, complete at once
         *     - `chain`: to an address on a blockchain
         *     - `deposit`: received from a blockchain
         *     - `correction`: the service corrected a balance; the timeline says why
         *     - `debt`: a blockchain paid more than a balance had. To the person: what the service covered. From the person: what it collected since
         * @enum {string}
         */
        TransactionKind: "user" | "chain" | "deposit" | "correction" | "debt";
        /**
         * UsdcAmount
         * @description USDC as exact decimal text: six decimals at most, no sign, no exponent. Keep it as text or as a decimal number; a float rounds it.
         */
        UsdcAmount: string;
        /**
         * UsdcBalance
         * @description USDC as exact decimal text, six decimals at most. Below zero only when a blockchain has paid what the balance did not cover.
         */
        UsdcBalance: string;
        /**
         * UserParty
         * @description A person.
         */
        UserParty: {
            /** @description Their name today; null for somebody without one */
            username: string | null;
            /** @description The old name that was asked for, when it led to this one */
            redirected_from?: string;
        };
        /**
         * AddressParty
         * @description An address on a blockchain: 0x and 40 digits, on Aptos 0x and 64, on Solana base58.
         */
        AddressParty: {
            /** @description Null when the blockchain names nobody, and for the service's side of a correction or a debt */
            address: string | null;
        };
        /**
         * WalletParty
         * @description A wallet of the service.
         */
        WalletParty: {
            /** @description Its id at the wallet provider */
            wallet_id: string;
        };
        /**
         * KycState
         * @description How far an identity check is.
         *
         *     - `none`: no check was started
         *     - `started`: the person has begun
         *     - `pending`: the provider is deciding
         *     - `needs_input`: the provider asks the person for more
         *     - `approved`: completed and green at the provider, nothing less
         *     - `rejected`: refused
         *     - `revoked`: an approval that was taken back
         * @enum {string}
         */
        KycState: "none" | "started" | "pending" | "needs_input" | "approved" | "rejected" | "revoked";
        /**
         * ListedTransaction
         * @description A payment in somebody's history.
         */
        ListedTransaction: components["schemas"]["Transaction"] & {
            /** @description What the person whose history it is could spend after it */
            available_after: components["schemas"]["UsdcBalance"];
        };
        /**
         * ErrorCode
         * @description A code never changes its meaning and is never removed. New ones come: treat one that you do not know by its status.
         * @enum {string}
         */
        ErrorCode: "account.closed" | "account.not_empty" | "address.blocked" | "address.invalid" | "address.lookalike" | "amount.precision" | "amount.too_large" | "auth.forbidden" | "auth.invalid" | "auth.required" | "auth.scope" | "balance.insufficient" | "blockchain.unsupported" | "cursor.expired" | "cursor.invalid" | "cursor.lost" | "event.too_many_streams" | "event.unknown_type" | "idempotency.in_progress" | "idempotency.invalid" | "idempotency.mismatch" | "idempotency.required" | "internal.error" | "key.limit_exceeded" | "key.not_allowed" | "kyc.final" | "kyc.required" | "limit.exceeded" | "money_request.ended" | "money_request.expiry" | "money_request.too_many" | "money_request.unknown" | "payment.ended" | "payment.self" | "payout.ended" | "payout.invalid" | "payout.mismatch" | "payout.unknown" | "rate.limited" | "recipient.unspecified" | "request.headers_too_large" | "request.host" | "request.malformed" | "request.origin" | "request.timeout" | "request.too_large" | "service.overloaded" | "service.paused" | "service.unavailable" | "session.unknown" | "transaction.unknown" | "user.paused" | "user.unknown" | "username.cooldown" | "username.invalid" | "username.needed" | "username.taken" | "username.unknown" | "wallet.pending" | "wallet.unknown" | "wallet.unspecified" | "webhook.event_unknown" | "webhook.span" | "webhook.too_many" | "webhook.unknown" | "webhook.url";
        /**
         * BadRequest
         * @description A problem, or the answer of the router.
         */
        BadRequest: components["schemas"]["Problem"] | components["schemas"]["Detail"];
        /**
         * InvalidRequest
         * @description What the document refuses, or a problem.
         */
        InvalidRequest: components["schemas"]["HTTPValidationError"] | components["schemas"]["Problem"];
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
    revoke_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From the list of your sessions. A UUID; also taken with braces, as `urn:uuid:…` or as 32 digits */
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
                /** @description Which payment. A UUID; also taken with braces, as `urn:uuid:…` or as 32 digits */
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
                /** @description How many */
                limit?: number;
                /** @description The `next_cursor` of the page before */
                cursor?: string;
                /** @description Only this kind */
                kind?: components["schemas"]["TransactionKind"];
                /** @description Only in this state */
                state?: components["schemas"]["TransactionState"];
                /** @description Not older than this (RFC 3339) */
                from?: string;
                /** @description Older than this (RFC 3339) */
                to?: string;
                /** @description At least this much USDC */
                min_amount?: string;
                /** @description At most this much USDC */
                max_amount?: string;
                /** @description The username or address of the other party */
                counterparty?: string;
            };
            header?: never;
            path: {
                /** @description The name of today, or an old one that leads to it */
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
                };
            };
        };
    };
    list_requests: {
        parameters: {
            query?: {
                /** @description `incoming`: you are asked; `outgoing`: you ask */
                direction?: "incoming" | "outgoing";
                /** @description Only in this state */
                state?: "open" | "paid" | "declined" | "cancelled" | "expired";
                /** @description How many */
                limit?: number;
                /** @description The `next_cursor` of the page before */
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
                /** @description Which request */
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
                /** @description Which request */
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
                /** @description Which request */
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
                /** @description Which request */
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
                /** @description Whose limits. A UUID; also taken with braces, as `urn:uuid:…` or as 32 digits */
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
                /** @description How many */
                limit?: number;
                /** @description The `next_cursor` of the page before */
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
    get_transaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Which payment */
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
                /** @description In upper or lower case */
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
                /** @description Go on after this event: the `next_cursor` of the answer before, or the `id` of an event. `start` is before the first event, `now` after the last one */
                after?: string;
                /** @description Only these types, separated by commas. `payment.*` stands for all that begin so */
                types?: string;
                /** @description How many */
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
                /** @description Where to begin, if there is no `Last-Event-ID`: the `id` of an event, `start` or `now` */
                after?: string;
                /** @description Only these types, separated by commas. `payment.*` stands for all that begin so */
                types?: string;
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
                /** @description Whose identity. A UUID; also taken with braces, as `urn:uuid:…` or as 32 digits */
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
                /** @description The e-mail address of the ID token, upper or lower case */
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
                /** @description Only in this state */
                state?: "checked" | "approving" | "running" | "waiting" | "stopping" | "complete" | "cancelled";
                /** @description The `next_before` of the page before */
                before?: string;
                /** @description How many */
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
                /** @description Who pays: a username, or the id of a wallet. Without it, the treasury */
                payer?: string;
                /** @description What becomes of rows that do not fit into what is left of the balance or of a limit: they wait up to three days, or fail */
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
                /** @description Of the payout */
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
                /** @description Of the payout */
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
                /** @description Of the payout */
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
                /** @description Only in this state */
                state?: "ready" | "sent" | "paid" | "failed" | "cancelled";
                /** @description The `next_after` of the page before */
                after?: number;
                /** @description How many */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description Of the payout */
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
                /** @description Of the payout */
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
                content?: never;
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
                /** @description Of the webhook */
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
                /** @description Of the webhook */
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
                /** @description Of the webhook */
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
                /** @description Of the webhook */
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
                /** @description Only in this state */
                state?: "waiting" | "delivered" | "failed";
                /** @description How many */
                limit?: number;
                /** @description The `next_cursor` of the page before */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Of the webhook */
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
                /** @description Of the webhook */
                webhook_id: string;
                /** @description Of the event, as `webhook-id` says it */
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
                /** @description Of the webhook */
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
                /** @description Of the webhook */
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
