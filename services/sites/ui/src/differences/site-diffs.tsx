import { Fact, StatusBadge, type Tone } from '@hearth/ui'
import { IconMinus, IconPencil, IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { components } from '../api.gen.ts'
import { nameOfField, textOfValue } from './field-names.ts'
import './differences.css'

/** The change of one site; `fields` is filled only when the site was changed, neither added nor removed. */
export type SiteDiff = components['schemas']['SiteDiff']

const appearances = {
  added: { tone: 'good', icon: IconPlus, text: 'Added' },
  changed: { tone: 'accent', icon: IconPencil, text: 'Changed' },
  removed: { tone: 'bad', icon: IconMinus, text: 'Removed' },
} as const satisfies Record<SiteDiff['change'], { tone: Tone; icon: unknown; text: string }>

/** Changes of sites, member by member. */
export function SiteDiffs({ diffs, isLinked = false }: { diffs: readonly SiteDiff[]; isLinked?: boolean }) {
  return (
    <ul className="site-diffs">
      {diffs.map((diff) => (
        <li key={`${diff.site_id} ${diff.site_name} ${diff.change}`}>
          <p className="site-diff-head">
            {isLinked && diff.site_id !== null && diff.change !== 'removed' ? (
              <Link href={`/sites/${diff.site_id}`} className="hearth-name">
                {diff.site_name}
              </Link>
            ) : (
              <b>{diff.site_name}</b>
            )}
            <ChangeBadge change={diff.change} />
          </p>
          <FieldList diff={diff} />
        </li>
      ))}
    </ul>
  )
}

/** A badge that says whether a site is added, changed or removed. */
export function ChangeBadge({ change }: { change: SiteDiff['change'] }) {
  const { tone, icon, text } = appearances[change]
  return (
    <StatusBadge tone={tone} icon={icon}>
      {text}
    </StatusBadge>
  )
}

function FieldList({ diff }: { diff: SiteDiff }) {
  return (
    <dl className="field-diffs">
      {diff.fields.map(({ field, before, after }) => (
        <Fact key={field} name={nameOfField(field)}>
          {diff.change !== 'added' && <Value sign="-" value={before} />}
          {diff.change !== 'removed' && <Value sign="+" value={after} />}
        </Fact>
      ))}
    </dl>
  )
}

/** A value before (`-`) or after (`+`). */
export function Value({ sign, value, text }: { sign: '-' | '+'; value?: unknown; text?: string }) {
  const Tag = sign === '-' ? 'del' : 'ins'
  return (
    <Tag className="diff-value" data-sign={sign}>
      <i aria-hidden>{sign === '-' ? '−' : '+'}</i>
      <span>{text ?? textOfValue(value)}</span>
    </Tag>
  )
}
