import { Link, useLocation } from 'wouter'
import './section-tabs.css'

/** One page of a group. */
export interface SectionTab {
  readonly href: string
  readonly label: string
}

/** The way between pages that belong together, each with its own address. */
export function SectionTabs({ label, tabs }: { label: string; tabs: readonly SectionTab[] }) {
  const [location] = useLocation()
  return (
    <nav className="section-tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={location === tab.href ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
