B
f8e8m0_rawJ~€