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
            /** @description What the payment is for, as whoever made it wrote it, at most 140 characters. Plain text: escape it before you show it. Absent if there is none, or if it was removed. Reading it needs the scope `notes` */
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
         * WalletOverview
         * @description The data that a wallet app shows first.
         */
        WalletOverview: {
            /** @description The requested address */
            address: string;
            /** @description The latest known prices */
            rates: components["schemas"]["Rate"][];
            /** @description One balance per token and blockchain */
            balances: components["schemas"]["Balance"][];
        };
        /**
         * Rate
         * @description A price.
         */
        Rate: {
            /** @description The token and the currency of its price, such as `USDC/USD` */
            pair: string;
            /** @description A decimal string */
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
         * @description The balance of one token at an address on one blockchain.
         */
        Balance: {
            /** @description The blockchain of the balance */
            blockchain: string;
            /** @description The token of the balance */
            token: string;
            /** @description The amount that can be spent now */
            available: components["schemas"]["UsdcBalance"];
            /** @description The amount reserved for payments in progress */
            held: components["schemas"]["UsdcBalance"];
            /** @description Incoming payments that are not final yet */
            pending_in: components["schemas"]["UsdcBalance"];
            /** @description The balance of the address on the blockchain; null while it is unknown */
            onchain: components["schemas"]["UsdcBalance"] | null;
            /** @description The block at which `onchain` was read; null while it is unknown */
            block_number: number | null;
            /** @description The time of the balance; null while it is unknown */
            as_of: string | null;
            /** @description Whether the value is older than it should be */
            stale: boolean;
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
                "application/json": components["schemas"]["SendUSDCRequest"] & {
                    /**
                     * Payment Note
                     * @description What the payment is for. Only the payer sees it: it does not go to the blockchain, and the destination does not get it. At most 140 characters of plain text in one line, with no control characters and none that change the direction of the text
                     */
                    payment_note?: string | null;
                };
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
                /** @description The address to show; it does not have to belong to this service */
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
                /** @description The `transaction_id` from the response that accepted the payment. A UUID; also accepted in braces, as `urn:uuid:…` or as 32 digits */
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
