"""Events at rest: the durable inbox, the mover, and Parquet parts per organization and UTC day.

It knows how events are kept whole, once, and in their organization's own folders. It must never
see a raw telemetry body, judge what an event means, or delete a row whose part is not durable.
`rollups` keeps the documents of closed days, `backups` copies all that an installation stores.
"""
