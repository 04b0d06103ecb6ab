import { answer } from '@hearth/ui'
import { api } from '../api.ts'
import type { PeerQuery } from './peer-query.ts'

/** One page of peers. */
export const readPeers = async (query: PeerQuery) => (await answer(api.GET('/api/peers', { params: { query } }))).data

/** One peer by its id. */
export const readPeer = async (id: string) =>
  (await answer(api.GET('/api/peers/{id}', { params: { path: { id } } }))).data
