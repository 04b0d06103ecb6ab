import { IconChevronLeft } from '@tabler/icons-react'
import { Link } from 'wouter'

/** The way from one of many back to all of them; stands above the page's heading. */
export function BackLink({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} className="back-link">
      <IconChevronLeft size={14} aria-hidden />
      {children}
    </Link>
  )
}
