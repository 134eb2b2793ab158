// Written by `npm run generate` from the OpenAPI documents. Do not edit.

export const backendCalls = {
  login: {"method":"POST","path":"/api/v1/login","changes":true},
  refresh_session: {"method":"POST","path":"/api/v1/sessions/refresh","changes":true,"keyed":true},
  list_sessions: {"method":"GET","path":"/api/v1/sessions"},
  revoke_session: {"method":"DELETE","path":"/api/v1/sessions/{session_id}","changes":true,"repeatable":true},
  set_username: {"method":"POST","path":"/api/v1/set_username","changes":true,"keyed":true},
  send_usdc: {"method":"POST","path":"/api/v1/send_usdc","changes":true,"keyed":true,"amounts":["amount"]},
  cancel_transaction: {"method":"POST","path":"/api/v1/transactions/{transaction_id}/cancel","changes":true,"keyed":true},
  latest_transactions_by_username: {"method":"GET","path":"/api/v1/latest_transactions_by_username/{username}"},
  ask_for_money: {"method":"POST","path":"/api/v1/requests","changes":true,"keyed":true,"amounts":["amount"]},
  list_requests: {"method":"GET","path":"/api/v1/requests"},
  get_request: {"method":"GET","path":"/api/v1/requests/{request_id}"},
  pay_request: {"method":"POST","path":"/api/v1/requests/{request_id}/pay","changes":true,"repeatable":true},
  decline_request: {"method":"POST","path":"/api/v1/requests/{request_id}/decline","changes":true,"repeatable":true},
  cancel_request: {"method":"POST","path":"/api/v1/requests/{request_id}/cancel","changes":true,"repeatable":true},
  export_account: {"method":"GET","path":"/api/v1/me/export"},
  close_account: {"method":"POST","path":"/api/v1/me/close","changes":true},
  read_limits: {"method":"GET","path":"/api/v1/limits/{user_id}"},
  read_me: {"method":"GET","path":"/api/v1/me"},
  read_my_overview: {"method":"GET","path":"/api/v1/me/overview"},
  list_my_recipients: {"method":"GET","path":"/api/v1/me/recipients"},
  get_transaction: {"method":"GET","path":"/api/v1/transactions/{transaction_id}"},
  check_username: {"method":"GET","path":"/api/v1/usernames/{username}"},
  preview_payment: {"method":"POST","path":"/api/v1/preview","repeatable":true,"amounts":["amount"]},
  send_to_address: {"method":"POST","path":"/api/v1/send_to_address","changes":true,"keyed":true,"waits":true,"amounts":["amount"]},
  list_events: {"method":"GET","path":"/api/v1/events","waits":true},
  stream_events: {"method":"GET","path":"/api/v1/events/stream","streams":true},
  start_kyc: {"method":"POST","path":"/api/v1/kyc/applicant","changes":true,"repeatable":true},
  issue_kyc_token: {"method":"POST","path":"/api/v1/kyc/access-token","changes":true,"repeatable":true},
  check_kyc: {"method":"POST","path":"/api/v1/kyc/check-status/{user_id}","changes":true,"repeatable":true},
  read_kyc: {"method":"GET","path":"/api/v1/kyc/status/{email}"},
} as const;

export const web3Calls = {
  send_specific_amount_usdc_wallet_send_usdc_post: {"method":"POST","path":"/wallet/send-usdc","changes":true,"keyed":true,"waits":true,"amounts":["amount"]},
  wallet_overview_subgraph_wallet_overview_get: {"method":"GET","path":"/subgraph/wallet-overview"},
  get_transaction_circle_transaction__transaction_id__get: {"method":"GET","path":"/circle/transaction/{transaction_id}"},
} as const;

