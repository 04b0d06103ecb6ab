import { Drawer, Text } from '@mantine/core'
import {
  answer,
  CopyButton,
  Fact,
  RelativeTime,
  Section,
  StatusBadge,
  type Tone,
  useAction,
  useSession,
} from '@hearth/ui'
import { IconShieldSearch } from '@tabler/icons-react'
import { Link } from 'wouter'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys } from '../api.ts'
import { gradeText } from './certificate-words.ts'
import { CertificateBadge, GradeBadge } from './host-columns.tsx'
import { GradeChart } from './grade-chart.tsx'
import type { CertificateGrade, HostCertificate } from './read-certificates.ts'

/** The certificate of one host in full, its grades, and what speaks for and against it. */
export function HostDrawer({ host, onClose }: { host: HostCertificate; onClose: () => void }) {
  const { isAdmin } = useSession()
  const grade = useAction({
    run: () => answer(api.POST('/api/v1/certificates/{host}/grade', { params: { path: { host: host.host } } })),
    done: (result) => `${result.host}: ${result.grade}`,
    renew: [keys.certificates],
  })
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={host.host}>
      <div className="hearth-stack">
        <Facts host={host} />
        <Section
          title="Grade"
          actions={
            isAdmin && (
              <IconButton icon={IconShieldSearch} size="xs" loading={grade.isPending} onClick={() => grade.mutate()}>
                Grade now
              </IconButton>
            )
          }
        >
          <Grades host={host} />
          {grade.data !== undefined && <Findings grade={grade.data} />}
        </Section>
        <GradeChart host={host.host} />
      </div>
    </Drawer>
  )
}

function Facts({ host }: { host: HostCertificate }) {
  const { isAdmin } = useSession()
  return (
    <section aria-label="Certificate">
      <dl className="hearth-facts" data-start>
        <Fact name="State">
          <CertificateBadge certificate={host} />
          {host.message !== null && <p className="host-message">{host.message}</p>}
        </Fact>
        <Fact name="Expires">
          <RelativeTime value={host.not_after} absent="–" />
        </Fact>
        <Fact name="Issued">
          <RelativeTime value={host.not_before} absent="–" />
        </Fact>
        <Fact name="Issued by">{host.issuer ?? '–'}</Fact>
        <Fact name="Names">{host.names.length === 0 ? '–' : host.names.join(', ')}</Fact>
        {host.fingerprint_sha256 !== null && (
          <Fact name="Fingerprint">
            <span className="hearth-mono">{host.fingerprint_sha256.slice(0, 24)}…</span>{' '}
            <CopyButton text={host.fingerprint_sha256}>Copy</CopyButton>
          </Fact>
        )}
        {isAdmin && (
          <Fact name="Site">
            <Link href={`/sites/${host.site_id}`} className="hearth-link">
              Edit the site
            </Link>
          </Fact>
        )}
      </dl>
    </section>
  )
}

function Grades({ host }: { host: HostCertificate }) {
  if (host.grades.length === 0)
    return (
      <Text c="dimmed" size="sm">
        The host was not graded yet.
      </Text>
    )
  return (
    <ul className="plain-list">
      {host.grades.map(({ source, label, grade, grade_trust_ignored: ignoring, checked_at: at }) => (
        <li key={source}>
          <GradeBadge grade={grade} ignoringTrust={ignoring} /> {gradeText(grade, ignoring)}
          <small>
            {label}, <RelativeTime value={at} />
          </small>
        </li>
      ))}
    </ul>
  )
}

const severities: Readonly<Record<CertificateGrade['findings'][number]['severity'], { tone: Tone; text: string }>> = {
  problem: { tone: 'bad', text: 'Problem' },
  warning: { tone: 'warn', text: 'Warning' },
  info: { tone: 'accent', text: 'Note' },
  good: { tone: 'good', text: 'Good' },
}

function Findings({ grade }: { grade: CertificateGrade }) {
  return (
    <>
      <h3 className="finding-head">What was found</h3>
      <ul className="plain-list finding-list">
        {grade.findings.map(({ code, severity, text, cap }) => (
          <li key={code}>
            <StatusBadge tone={severities[severity].tone}>{severities[severity].text}</StatusBadge>
            <span>
              {text}
              {cap !== undefined && <span className="hearth-dimmed"> (at best {cap})</span>}
            </span>
          </li>
        ))}
      </ul>
      <Text c="dimmed" size="xs" mt="xs">
        Protocol {grade.parts.protocol}, key exchange {grade.parts.key_exchange}, cipher {grade.parts.cipher} of 100;{' '}
        {grade.protocols.join(', ')}
      </Text>
    </>
  )
}
