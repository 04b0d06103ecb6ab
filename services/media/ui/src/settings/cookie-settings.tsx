import { Text } from '@mantine/core'
import { QueryState } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { keys, readCookies } from '../api.ts'
import { CookieCard } from './cookie-card.tsx'

/** The cookies of every platform; `asked` is the one somebody was sent here for. */
export function CookieSettings({ asked }: { asked: string | null }) {
  const jars = useQuery({ queryKey: keys.cookies, queryFn: readCookies })
  if (jars.data === undefined) return <QueryState query={jars} lines={6} />
  return (
    <>
      <Text c="dimmed" maw={640}>
        Some media is shown to signed-in users only. With the cookies of a browser that is signed in, the service is,
        too. Without them everything public works.
      </Text>
      <div className="cookie-grid">
        {jars.data.map((jar) => (
          <CookieCard key={jar.platform} jar={jar} isAsked={jar.platform === asked} />
        ))}
      </div>
    </>
  )
}
