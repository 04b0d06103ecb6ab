import { formatCount } from '@hearth/ui'
import { IconBulb } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useOpenHints } from './hint-queries.ts'
import './hints.css'

/** The number of open hints, for the navigation. */
export function OpenHintCount() {
  const count = useOpenHints()
  if (count === 0) return null
  return (
    <span className="hint-count">
      {count > 99 ? '99+' : count}
      <span className="hint-count-words"> open</span>
    </span>
  )
}

/** A line that leads to the open hints; nothing without any. */
export function OpenHints() {
  const count = useOpenHints()
  if (count === 0) return null
  return (
    <Link href="/hints" className="hearth-card hint-line">
      <IconBulb size={18} aria-hidden />
      {formatCount(count, 'open hint')}: something unusual was noticed
    </Link>
  )
}
