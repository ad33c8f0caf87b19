import type { Page } from 'playwright-core'

/** A response of the sign-in service. */
export const refusal = (status: number, error: string) => ({
  status,
  json: { error },
  headers: { 'access-control-allow-origin': '*' },
})

/** The sign-in service renews no token until the user has signed in again. */
export async function refuseRenewals(page: Page): Promise<void> {
  let hasSignedIn = false
  await page.route('**/token', (route) => {
    hasSignedIn ||= !route.request().postData()?.includes('grant_type=refresh_token')
    return hasSignedIn ? route.continue() : route.fulfill(refusal(400, 'invalid_grant'))
  })
}
