/** Only a new sign-in helps. */
export class SessionEnded extends Error {
  override name = 'SessionEnded'
}

/** The token has expired, and the issuer does not renew it at the moment. */
export class SignInUnavailable extends Error {
  override name = 'SignInUnavailable'
}
