import type { Content } from '@hearth/http'
import type { DeliveryCall } from '../delivery/deliver.ts'
import type { ShareLink } from './schema.ts'

/** A request to redeem a link. */
export interface Redemption extends DeliveryCall {
  readonly token: string
  readonly address: string
  readonly userAgent: string
  /** Asks for the file; without it the landing page is what a person, or a link preview, gets. */
  readonly wantsFile: boolean
  readonly isHead: boolean
}

/** Links by which others get one file. Throws problems in the words of the API. */
export interface Shares {
  /** A new link, or the present one when it is as good. */
  create(jobId: string, base: string): Promise<ShareLink>
  list(jobId: string, base: string): Promise<ShareLink[]>
  revoke(jobId: string): Promise<number>
  /** The landing page, or the file; every failure is the same page with status 404. */
  redeem(redemption: Redemption): Promise<Content>
  /** How many links there are. */
  count(): Promise<number>
  /** Forgets what has run out. */
  tidy(): Promise<void>
}
