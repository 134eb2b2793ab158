-- Deliveries of webhooks that are looked for among very many others. Docs: docs/decisions/0032-webhooks.md.

-- Nearly all deliveries are delivered, so those that are not have an index of their own.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (endpoint_id, state, place, event_id) WHERE state <> 'delivered';
-- A test event does not wait behind thousands of others, nor is it looked for among them.
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (endpoint_id, due_at) WHERE is_test AND due_at IS NOT NULL;
