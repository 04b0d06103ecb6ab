import { PageHeader, Section } from '@hearth/ui'
import { IconChevronLeft } from '@tabler/icons-react'
import { Link } from 'wouter'
import { ApplyFile } from '../as-code/apply-file.tsx'
import { ExportFile } from '../as-code/export-file.tsx'

/** The whole wanted state as one file: to keep, and to apply; administrators only. */
export function AsCodePage() {
  return (
    <>
      <Link href="/settings" className="hearth-way-back">
        <IconChevronLeft size={14} aria-hidden />
        Settings
      </Link>
      <PageHeader
        title="As code"
        description="Interfaces, peers, access rules, DNS and settings as one YAML file that you can keep in git."
      />
      <div className="hearth-stack settings-form">
        <Section title="Download">
          <ExportFile />
        </Section>
        <Section title="Apply a file">
          <ApplyFile />
        </Section>
      </div>
    </>
  )
}
