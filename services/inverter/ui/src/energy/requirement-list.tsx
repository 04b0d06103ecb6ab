import { Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { Requirement } from './energy-texts.ts'

/** Conditions of a command, each open one with a link to the page on which it is met. */
export function RequirementList({ title, requirements }: { title: string; requirements: readonly Requirement[] }) {
  return (
    <div className="requirements">
      <Text fw={600}>{title}</Text>
      <ul className="plain-list">
        {requirements.map(({ isMet, text, href }) => (
          <li key={text} data-met={isMet || undefined}>
            {isMet ? (
              <IconCircleCheck size={18} aria-label="Done:" />
            ) : (
              <IconCircleDashed size={18} aria-label="To do:" />
            )}
            <span>{text}</span>
            {!isMet && (
              <Link href={href} className="hearth-link" aria-label={`Fix: ${text}`}>
                Fix
              </Link>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
