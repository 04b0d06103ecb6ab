import { Tooltip } from '@mantine/core'
import { gradeText, gradeTone } from './certificate-words.ts'
import './certificates.css'

/** A grade as its letter; its meaning stands in the tooltip. */
export function GradeBadge({ grade, ignoringTrust = null }: { grade: string; ignoringTrust?: string | null }) {
  const said = gradeText(grade, ignoringTrust)
  return (
    <Tooltip label={said}>
      <span className="grade hearth-status" data-tone={gradeTone(grade)}>
        {grade}
      </span>
    </Tooltip>
  )
}
