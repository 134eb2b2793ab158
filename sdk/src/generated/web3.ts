// Written by `npm run generate` from the OpenAPI documents. Do not edit.

export interface paths {
    "/wallet/send-usdc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send USDC to an address */
        post: operations["send_specific_amount_usdc_wallet_send_usdc_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subgraph/wallet-overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A wallet at a glance */
        get: operations["wallet_overview_subgraph_wallet_overview_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circle/transaction/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The state of a payment */
        get: operations["get_transaction_circle_transaction__transaction_id__get"];
        put?: never;
        post?: never;
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
        /** HTTPValidationError */
        HTTPValidationError: {
            /** Detail */
            detail?: components["schemas"]["ValidationError"][];
        };
        /** SendUSDCRequest */
        SendUSDCRequest: {
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
             * @description Blockchain network
             * @default ETH-SEPOLIA
             */
            blockchain?: string;
            /**
             * Wallet Username
             * @description Username used to resolve the funding wallet from a user directory
             */
            wallet_username?: string | null;
            /**
             * Funding Wallet Id
             * @description Identifier of the wallet-provider wallet to send from; overrides wallet_username
             */
            funding_wallet_id?: string | null;
        };
        /** ValidationError */
        ValidationError: {
            /** Location */
            loc: (string | number)[];
            /** Message */
            msg: string;
            /** Error Type */
            type: string;
            /** Input */
            input?: unknown;
            /** Context */
            ctx?: Record<string, never>;
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
         * WalletOverview
         * @description What a wallet app shows first.
         */
        WalletOverview: {
            /** @description The address that was asked for */
            address: string;
            /** @description Prices, newest known */
            rates: components["schemas"]["Rate"][];
            /** @description One of each token on each blockchain */
            balances: components["schemas"]["Balance"][];
        };
        /**
         * Rate
         * @description A price.
         */
        Rate: {
            /** @description What is priced in what, such as `USDC/USD` */
            pair: string;
            /** @description Decimal text */
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
         * @description What an address has of one token on one blockchain.
         */
        Balance: {
            /** @description Where */
            blockchain: string;
            /** @description Which token */
            token: string;
            /** @description What can be spent now */
            available: components["schemas"]["UsdcBalance"];
            /** @description Reserved for payments on their way */
            held: components["schemas"]["UsdcBalance"];
            /** @description On its way in, not yet final */
            pending_in: components["schemas"]["UsdcBalance"];
            /** @description What the chain shows for the address; null while it is not known */
            onchain: components["schemas"]["UsdcBalance"] | null;
            /** @description The block that `onchain` was read at; null while it is not known */
            block_number: number | null;
            /** @description When it was true; null while it is not known */
            as_of: string | null;
            /** @description Older than it should be */
            stale: boolean;
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
    send_specific_amount_usdc_wallet_send_usdc_post: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendUSDCRequest"];
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
    wallet_overview_subgraph_wallet_overview_get: {
        parameters: {
            query: {
                /** @description The address to show, one of ours or not */
                address: string;
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
                    "application/json": components["schemas"]["WalletOverview"];
                };
            };
        };
    };
    get_transaction_circle_transaction__transaction_id__get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `transaction_id` of the answer that accepted the payment. A UUID; also taken with braces, as `urn:uuid:…` or as 32 digits */
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
}
