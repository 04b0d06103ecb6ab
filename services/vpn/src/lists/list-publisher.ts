import type { ListReport } from '../dns/process/messages.ts'
import type { ResolverList } from '../dns/process/resolver-files.ts'

/** The way of lists to the resolver: writes `lists.json` and tells the resolver to compile them. */
export interface ListPublisher {
  /**
   * Puts exactly these lists in force. What was found in them and how many names they have together; undefined when no resolver
   * is running, which will then find them when it starts.
   */
  publish(
    lists: readonly ResolverList[],
  ): Promise<{ readonly reports: readonly ListReport[]; readonly names: number } | undefined>
}
