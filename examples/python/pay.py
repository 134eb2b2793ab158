"""Pays a person once per order, then shows the newest payments.

    ID_TOKEN=… python3 examples/python/pay.py bob 0.25 order-1001
"""

import os
import sys

from florin import BackendApi, FlorinError


def main() -> int:
    if len(sys.argv) != 4:
        print("usage: pay.py USERNAME AMOUNT ORDER", file=sys.stderr)
        return 2
    _, receiver, amount, order = sys.argv
    api = BackendApi(os.environ.get("FLORIN_BACKEND_URL", "http://127.0.0.1:8001"))
    session = api.login(id_token=os.environ["ID_TOKEN"])
    api.token = session["access_token"]
    me = session["user"]
    try:
        # The order is the key: run again, even after a crash, it pays nothing more.
        paid = api.send_usdc(sender_user_id=me["user_id"], receiver_username=receiver, amount=amount, key=order)
    except FlorinError as error:
        print(f"{error.title}. {error.detail}", file=sys.stderr)
        if error.outcome_unknown:
            print(f"It may have been paid. Run this again with the order {order}.", file=sys.stderr)
        return 1
    print(f"{paid['amount']} USDC to {receiver}: {paid['state']}")
    page = api.latest_transactions_by_username(me["username"], limit=3)
    for one in page["transactions"]:
        print(one["created_at"], one["amount"], one["available_after"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
