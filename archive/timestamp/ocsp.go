package timestamp

import "encoding/asn1"

var (
	oidBasicOCSP         = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 1}
	oidNoCheck           = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}
	oidSHA1              = asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}
	oidReason            = asn1.ObjectIdentifier{2, 5, 29, 21}
	oidInvalidity        = asn1.ObjectIdentifier{2, 5, 29, 24}
	oidDistributionPoint = asn1.ObjectIdentifier{2, 5, 29, 28}
)
