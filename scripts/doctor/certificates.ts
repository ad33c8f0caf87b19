import { once } from 'node:events'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { advice, type Context, orOk, problem, type Result, skipped } from './finding.ts'

const DAY_MS = 86_400_000
const PROBLEM_DAYS = 7
const ADVICE_DAYS = 21
const TIMEOUT_MS = 5_000

/** The certificates behind every https:// URL of the configuration: trusted, and valid for some time. */
export async function checkCertificates({ config, now }: Context): Promise<Result[]> {
  const { auth, publicUrl, evolution, services } = config
  const urls = [auth.issuer, auth.jwksUrl, auth.revocationsUrl, publicUrl, evolution?.url]
  const origins = [...urls, ...services.map(({ url }) => url)]
    .filter((url) => url?.startsWith('https://'))
    .map((url) => new URL(url ?? '').host)
  if (origins.length === 0) return [skipped('no https:// URL is configured')]
  const results = await Promise.all([...new Set(origins)].map((host) => checkHost(host, now())))
  return orOk(
    results.flat(),
    `${results.length === 1 ? 'a certificate is' : 'certificates are'} trusted and not about to expire`,
  )
}

async function checkHost(host: string, nowMs: number): Promise<Result[]> {
  const { hostname, port } = new URL(`https://${host}`)
  const address = hostname.replaceAll(/[[\]]/g, '')
  // Reads also a certificate that is not trusted, to say what is wrong with it. Nothing is sent.
  const socket = connect({
    ...{ host: address, port: Number(port || 443), ...(isIP(address) ? {} : { servername: address }) },
    ...{ rejectUnauthorized: false, timeout: TIMEOUT_MS },
  })
  try {
    socket.once('timeout', () => socket.destroy(new Error('no response in time')))
    await once(socket, 'secureConnect')
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - nowMs) / DAY_MS)
    return [
      ...(socket.authorized
        ? []
        : [
            problem(
              `The certificate of ${host} is not trusted: ${String(socket.authorizationError)}.`,
              'Use a certificate for this name, and set NODE_EXTRA_CA_CERTS for a private authority.',
            ),
          ]),
      ...explainDays(host, days),
    ]
  } catch (error) {
    // Other checks say whether it must be reachable. The public address may not be, from here.
    return [skipped(`the certificate of ${host} could not be read: ${(error as Error).message}`)]
  } finally {
    socket.destroy()
  }
}

function explainDays(host: string, days: number): Result[] {
  const text = `The certificate of ${host} ${days < 0 ? 'has expired' : `expires in ${days} days`}.`
  const fix = 'Renew it, and find out why it was not renewed by itself.'
  if (days < PROBLEM_DAYS) return [problem(text, fix)]
  return days < ADVICE_DAYS ? [advice(text, fix)] : []
}
