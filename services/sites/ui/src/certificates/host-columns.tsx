import { type Column, RelativeTime, StatusBadge } from '@hearth/ui'
import { Tooltip, UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { certificateState, gradeText, gradeTone, nameIn } from './certificate-words.ts'
import type { HostCertificate } from './read-certificates.ts'
import './certificates.css'

/** The columns of the table of certificates; `onOpen` shows one in full. */
export function hostColumns(onOpen: (host: HostCertificate) => void): Column<HostCertificate>[] {
  return [
    {
      key: 'host',
      header: 'Host',
      role: 'title',
      render: (host) => (
        <UnstyledButton className="hearth-name cell-link" onClick={() => onOpen(host)}>
          {host.host}
        </UnstyledButton>
      ),
    },
    { key: 'state', header: 'State', render: (host) => <CertificateBadge certificate={host} /> },
    { key: 'expires', header: 'Expires', render: (host) => <RelativeTime value={host.not_after} absent="–" /> },
    { key: 'issuer', header: 'Issued by', render: (host) => issuerOf(host) },
    { key: 'grade', header: 'Grade', render: (host) => <Grades host={host} /> },
    {
      key: 'checked',
      header: 'Last checked',
      numeric: true,
      render: (host) => <RelativeTime value={host.checked_at} />,
    },
  ]
}

/** A badge with the state of a certificate; its tooltip has the reason. */
export function CertificateBadge({ certificate }: { certificate: Pick<HostCertificate, 'state' | 'message'> }) {
  const { tone, text } = certificateState(certificate.state)
  return (
    <span title={certificate.message ?? undefined}>
      <StatusBadge tone={tone}>{text}</StatusBadge>
    </span>
  )
}

function issuerOf({ issuer, trusted }: HostCertificate): ReactNode {
  if (issuer === null) return '–'
  return trusted === false ? `${nameIn(issuer)} (not public)` : nameIn(issuer)
}

function Grades({ host }: { host: HostCertificate }) {
  if (host.grades.length === 0) return <span className="hearth-dimmed">none yet</span>
  return (
    <span className="grade-list">
      {host.grades.map(({ source, grade, grade_trust_ignored: ignoring }) => (
        <GradeBadge key={source} grade={grade} ignoringTrust={ignoring} />
      ))}
    </span>
  )
}

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
