import { Code, Text } from '@mantine/core'
import { CopyButton, describeError, IconAction, LoadingLines, Section } from '@hearth/ui'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Notice } from '../page-elements.tsx'
import { scrapeConfig } from './scrape-config.ts'

/** A sample for prometheus.yml, and what a scrape gets now. */
export function ScrapeSample({ isTokenRequired }: { isTokenRequired: boolean }) {
  const sample = scrapeConfig(window.location, isTokenRequired)
  const preview = useQuery({ queryKey: ['scrape-preview'], queryFn: readExposition, staleTime: 0 })
  return (
    <div className="hearth-stack">
      <Section title="Sample configuration" actions={<CopyButton text={sample}>Copy</CopyButton>}>
        <Code block tabIndex={0} aria-label="Sample prometheus.yml">
          {sample}
        </Code>
        {isTokenRequired && (
          <Text className="hearth-dimmed" mt="xs">
            Put a token from the Tokens page into this file.
          </Text>
        )}
      </Section>
      <Section
        title="Scrape preview"
        actions={
          <IconAction
            icon={IconRefresh}
            label="Refresh"
            size={36}
            loading={preview.isFetching}
            onClick={() => void preview.refetch()}
          />
        }
      >
        {preview.data === undefined && preview.error === null && <LoadingLines lines={5} />}
        {preview.error !== null && (
          <Notice color="gray" mb={0}>
            {describeError(preview.error)}
          </Notice>
        )}
        {preview.data !== undefined && (
          <Code block className="exposition" tabIndex={0} aria-label="Answer of /metrics">
            {preview.data}
          </Code>
        )}
      </Section>
    </div>
  )
}

async function readExposition(): Promise<string> {
  const response = await fetch('/metrics')
  if (response.status === 401 || response.status === 403)
    throw new Error('Scraping needs a token or a trusted source address.')
  if (!response.ok) throw new Error(`The service answered ${response.status}`)
  return response.text()
}
