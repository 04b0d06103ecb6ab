import { listenSetting } from '../dns/environment-settings.ts'

/** The setting of nodes; all of it is off without an address to listen at. */
export const nodeSettings = { VPN_NODES_LISTEN: listenSetting }
