import { answer, ApiError, useAction } from '@hearth/ui'
import type { components } from '../api.gen.ts'
import { api, keys, type Peer, type PeerQuery } from '../api.ts'
import { readPeers } from './peer-actions.ts'

/** One change of many peers. */
export type BulkChange = components['schemas']['PeerBulkChange']

/** Peers that one change may name. */
export const maxSelected = 1000

/** Answers that a change of peers makes old. */
export const staleAfterPeers = [keys.peers, keys.peerTags, keys.interfaces, keys.overview] as const

/** Changes many peers at once. A refusal is told as one sentence: no input of a form stands for a single peer. */
export async function changePeers(body: BulkChange): Promise<{ message: string }> {
  try {
    return await answer(api.POST('/api/peers/bulk', { body }))
  } catch (error) {
    const isAboutPeers = error instanceof ApiError && error.fields.some(({ path }) => path.startsWith('ids'))
    throw isAboutPeers ? new ApiError(error.message, { status: error.status }) : error
  }
}

/** The action behind a button that changes many peers. */
export function useBulkChange() {
  return useAction<BulkChange, { message: string }>({ run: changePeers, renew: staleAfterPeers })
}

/** Reads every peer that a list shows on all its pages, as many as one change may name. */
export async function readAllPeers(query: PeerQuery): Promise<Peer[]> {
  const found: Peer[] = []
  for (;;) {
    const { peers, total } = await readPeers({ ...query, limit: 100, offset: found.length })
    found.push(...peers)
    if (peers.length === 0 || found.length >= Math.min(total, maxSelected)) return found.slice(0, maxSelected)
  }
}

/** Every tag that peers have. */
export const readTags = async () => (await answer(api.GET('/api/peers/tags'))).data
