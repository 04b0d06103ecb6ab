import type { Kysely } from 'kysely'
import type { Preview, PreviewRequest } from '../../query-log/rule-preview.ts'
import type { Tables } from '../../tables.ts'
import { rulesOf } from '../resolver-input.ts'
import { ruleRows } from '../store.ts'
import { previewedRule } from './rules.ts'
import type { DnsRulePreview, DnsRulePreviewBody } from './schema.ts'

interface PreviewContext {
  readonly db: Kysely<Tables>
  readonly preview: (request: Omit<PreviewRequest, 'now'>) => Promise<Preview>
  /** The peer with this number. */
  readonly client: (number: number) => { readonly name: string } | undefined
}

/** Counts the queries of the last 24 hours that a rule would have changed. */
export async function previewRule(context: PreviewContext, input: DnsRulePreviewBody): Promise<DnsRulePreview> {
  const rule = await previewedRule(context.db, input)
  const { changed, matching, clients } = await context.preview({ rule, rules: rulesOf(await ruleRows(context.db)) })
  return {
    changed,
    matching,
    clients: clients.map(({ client, name, changed: count }) => ({
      client: context.client(client)?.name ?? name,
      changed: count,
    })),
  }
}
