B
f4e2m1_rawJñ